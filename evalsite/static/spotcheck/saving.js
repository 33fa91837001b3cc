// Saving: nothing is called saved before the server said so, and nothing is lost when it cannot.
//
// Every change is copied to this browser at once, bound to the person and the review, and the copy
// goes when the server has acknowledged exactly that content.

const PAUSE = 1200;
const RETRY = [2000, 4000, 8000, 15000, 30000];
const KEEPALIVE_LIMIT = 60000;

// One form for equal contents, whoever left out what is empty.
export const normal = (said) => {
  const parts = (entries, shape) =>
    Object.fromEntries(
      Object.entries(entries ?? {})
        .map(([key, one]) => [key, shape(one)])
        .filter(([, one]) => Object.values(one).some((value) => value !== null && value !== "" && value.length !== 0))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const evidence = (one) => (one.evidence ?? []).map(({ kind, ref, text }) => ({ kind, ref, text: text ?? "" }));
  return JSON.stringify({
    scores: parts(said.scores, (one) => ({ value: one.value ?? null, rationale: one.rationale ?? "", evidence: evidence(one) })),
    answers: parts(said.answers, (one) => ({ answer: one.answer ?? null, note: one.note ?? "", evidence: evidence(one) })),
    comment: said.comment ?? "",
    flags: [...(said.flags ?? [])].sort(),
  });
};

export class Saving {
  // `collect` gives what the form says, `fill` puts something else into it, `say(state, sentence)`
  // tells the reader, `differ(mine, theirs)` asks which of two versions stays, `stop(sentence)` says
  // that nothing can be written any more. `rest` is what is said while all is stored.
  constructor({ form, words, rest, collect, fill, say, differ, refuse, stop }) {
    Object.assign(this, { form, words, rest, collect, fill, say, differ, refuse, stop });
    const { review, user, version } = form.dataset;
    this.version = Number(version);
    this.user = user;
    this.copyName = `spotcheck:draft:${user}:${review}`;
    this.submitName = `spotcheck:submit:${user}:${review}`;
    this.linesName = `spotcheck:lines:${user}:${review}`;
    this.stored = normal(collect());
    // What was sent and not answered: perhaps it was taken, so it is sent again before anything else.
    this.unanswered = null;
    this.failures = 0;
    this.isBusy = false;
    this.isStopped = false;
    this.submission = null;
  }

  get token() {
    return this.form.querySelector('[name="csrfmiddlewaretoken"]').value;
  }

  start() {
    const kept = this.read(this.copyName);
    if (kept && normal(kept.said) !== this.stored) {
      // What was under way when the page closed has arrived since.
      if (kept.version === this.version || kept.sent === this.stored) {
        this.fill(kept.said);
        this.say("unsaved", this.words.restored);
        this.soon(0);
      } else {
        const theirs = this.collect();
        this.fill(kept.said);
        this.choose(theirs, this.version);
      }
    } else {
      this.drop(this.copyName);
    }
    addEventListener("online", () => this.again());
    addEventListener("pagehide", () => this.leave());
    addEventListener("focus", () => this.isWaitingForPerson && this.renew());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.leave();
      else if (this.isWaitingForPerson) this.renew();
    });
  }

  // --- Changes ----------------------------------------------------------------------------------

  changed() {
    if (this.isStopped || this.isChoosing) return;
    const said = this.collect();
    if (normal(said) === this.stored && !this.isBusy && !this.unanswered) {
      // Changed and changed back: neither a copy nor a save of what it was in between.
      clearTimeout(this.timer);
      this.drop(this.copyName);
      this.say(...this.rest);
      return;
    }
    this.keep(said);
    if (!this.isWaitingForPerson && !this.failures) this.say("unsaved", this.words.unsaved);
    this.soon(PAUSE);
  }

  soon(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), pause);
  }

  leave() {
    clearTimeout(this.timer);
    this.send();
  }

  again() {
    if (this.submission) this.sendSubmission();
    else this.soon(0);
  }

  async send() {
    if (this.isBusy || this.isStopped || this.isChoosing || this.submission) return;
    const said = this.unanswered ?? this.collect();
    const content = normal(said);
    if (content === this.stored && !this.unanswered) return;
    this.isBusy = true;
    this.unanswered = said;
    this.keep(this.collect());
    const answer = await this.post(this.form.dataset.draft, { version: this.version, ...said });
    this.isBusy = false;
    if (!answer) return;
    this.unanswered = null;
    if (answer.status === 200) this.settle(answer.body.version, content, answer.body.detail);
    else this.trouble(answer, said);
  }

  // The server holds `content`; whatever the form says by now goes next.
  settle(version, content, sentence) {
    this.version = version;
    this.stored = content;
    this.rest = ["saved", sentence];
    const said = this.collect();
    if (normal(said) === this.stored) {
      this.drop(this.copyName);
      this.say(...this.rest);
    } else {
      this.keep(said);
      this.say("unsaved", this.words.unsaved);
      this.soon(PAUSE);
    }
  }

  // --- Submitting -------------------------------------------------------------------------------

  // The key is made once for one content and kept until it is answered: a lost answer, asked for
  // again, is the same review.
  async submit(more) {
    clearTimeout(this.timer);
    while (this.isBusy) await new Promise((done) => setTimeout(done, 50));
    if (this.isStopped || this.isChoosing || this.submission) return;
    const said = this.collect();
    const body = { version: this.version, ...said, ...more };
    const content = JSON.stringify([normal(said), more]);
    const earlier = this.read(this.submitName);
    const key = earlier?.content === content ? earlier.key : crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    this.keep(said);
    this.write(this.submitName, { key, content });
    this.submission = { key, body };
    // What is typed now would not be in it.
    this.hold(true);
    await this.sendSubmission();
  }

  async sendSubmission() {
    if (this.isBusy || !this.submission) return;
    const { key, body } = this.submission;
    this.isBusy = true;
    this.say("saving", this.words.submitting);
    const answer = await this.post(this.form.dataset.submit, body, { "Idempotency-Key": key });
    this.isBusy = false;
    if (!answer) return;
    if (this.isTaken(answer, this.unanswered ?? body)) {
      // A save before it was taken, and its answer lost: the version is a later one.
      this.unanswered = null;
      this.version = answer.body.version;
      this.submission.body = { ...body, version: this.version };
      return this.sendSubmission();
    }
    this.submission = null;
    this.drop(this.submitName);
    if (answer.status !== 200) this.hold(false);
    if (answer.status === 200) {
      this.isStopped = true;
      this.drop(this.copyName);
      this.drop(this.linesName);
      location.assign(this.form.dataset.next);
      return;
    }
    if (answer.status === 400) {
      this.say("unsaved", this.words.unsaved);
      this.refuse(answer.body.errors ?? []);
      this.soon(PAUSE);
      return;
    }
    this.trouble(answer, this.collect());
  }

  // Gives a revision up: what is written here goes with what is stored of it.
  async discard(address) {
    clearTimeout(this.timer);
    while (this.isBusy) await new Promise((done) => setTimeout(done, 50));
    if (this.isStopped || this.isChoosing || this.submission) return;
    this.isBusy = true;
    const answer = await this.post(address, { version: this.version });
    this.isBusy = false;
    if (!answer) return;
    if (answer.status !== 200) return this.trouble(answer, this.collect());
    this.isStopped = true;
    for (const name of [this.copyName, this.submitName, this.linesName]) this.drop(name);
    location.assign(location.pathname);
  }

  hold(isHeld) {
    this.form.querySelector(".all").inert = isHeld;
    this.form.querySelector('[value="submit"]').disabled = isHeld;
  }

  // --- What can go wrong ------------------------------------------------------------------------

  // The answer, or null when there was none: then it is tried again.
  async post(address, body, headers = {}, isSecond = false) {
    const text = JSON.stringify(body);
    let response;
    try {
      response = await fetch(address, {
        method: "POST",
        credentials: "same-origin",
        keepalive: text.length < KEEPALIVE_LIMIT,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "X-CSRFToken": this.token,
          ...headers,
        },
        body: text,
      });
    } catch {
      return this.wait();
    }
    if (response.status >= 500 || response.status === 429) return this.wait();
    if (response.status === 401) return this.askToSignIn(this.words.session);
    // Signed in anew in another tab: the token of this page is an old one.
    if (response.status === 403 && !isSecond && (await this.renewToken())) {
      return this.post(address, body, headers, true);
    }
    this.failures = 0;
    return { status: response.status, body: await response.json().catch(() => ({})) };
  }

  wait() {
    this.say("offline", this.words.offline);
    const pause = RETRY[Math.min(this.failures, RETRY.length - 1)];
    this.failures += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.again(), pause);
    return null;
  }

  askToSignIn(sentence) {
    this.isWaitingForPerson = true;
    this.say("session", sentence, { href: this.words.login, text: this.words.signIn });
    clearTimeout(this.poll);
    this.poll = setTimeout(() => this.renew(), 15000);
    return null;
  }

  async renew() {
    if (this.isRenewing) return;
    this.isRenewing = true;
    const isBack = await this.renewToken();
    this.isRenewing = false;
    if (isBack) this.again();
  }

  async renewToken() {
    let response;
    try {
      response = await fetch(this.form.dataset.token, { headers: { Accept: "application/json" } });
    } catch {
      return false;
    }
    if (response.status === 401) return void this.askToSignIn(this.words.session);
    if (!response.ok) return false;
    const { token, user } = await response.json();
    if (user !== this.user) return void this.askToSignIn(this.words.otherPerson);
    for (const field of document.querySelectorAll('[name="csrfmiddlewaretoken"]')) field.value = token;
    this.isWaitingForPerson = false;
    clearTimeout(this.poll);
    return true;
  }

  // Whether a refusal only tells that this very content is stored: its answer was lost.
  isTaken({ status, body }, said) {
    return status === 409 && body.code === "stale_version" && !body.is_submitted && normal(body.draft) === normal(said);
  }

  trouble(answer, said) {
    const { status, body } = answer;
    if (this.isTaken(answer, said)) return this.settle(body.version, normal(said), body.saved);
    if (status === 409 && body.code === "stale_version") {
      if (body.is_submitted && !("isRevision" in this.form.dataset) && normal(body.draft) === normal(said)) {
        this.drop(this.copyName);
        this.isStopped = true;
        location.assign(this.form.dataset.next);
        return;
      }
      this.rest = ["saved", body.saved];
      this.choose(body.draft, body.version, body.is_submitted);
      return;
    }
    if (status === 400) {
      this.say("unsaved", body.detail);
      this.refuse(body.errors ?? []);
      return;
    }
    this.isStopped = true;
    const sentence = body.detail || this.words.gone;
    if (normal(this.collect()) !== this.stored) this.keep(this.collect());
    this.hold(true);
    this.say("closed", sentence);
    this.stop(sentence);
  }

  async choose(theirs, version, isSubmitted = false) {
    this.isChoosing = true;
    const mine = this.collect();
    this.keep(mine);
    const kept = await this.differ(mine, theirs);
    this.isChoosing = false;
    this.unanswered = null;
    this.version = version;
    this.stored = normal(theirs);
    // Submitted elsewhere: what was written here is a revision, and that is another page.
    if (isSubmitted && !("isRevision" in this.form.dataset)) {
      this.isStopped = true;
      if (kept === "mine") this.keep(mine);
      else this.drop(this.copyName);
      location.assign(kept === "mine" ? "?revise=1" : location.pathname);
      return;
    }
    if (kept === "theirs") {
      this.fill(theirs);
      this.drop(this.copyName);
      this.say(...this.rest);
    } else {
      this.keep(mine);
      this.soon(0);
    }
  }

  // --- Copies in this browser -------------------------------------------------------------------

  keep(said) {
    const sent = this.unanswered && normal(this.unanswered);
    this.write(this.copyName, { version: this.version, sent, said });
  }

  // Lines that only a submit takes along belong to no draft: they stay here until then.
  keepLines(lines) {
    if (Object.values(lines).some(Boolean)) this.write(this.linesName, lines);
    else this.drop(this.linesName);
  }

  keptLines() {
    return this.read(this.linesName) ?? {};
  }

  read(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  }

  // A browser that keeps nothing still saves.
  write(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      /* full, or switched off */
    }
  }

  drop(name) {
    try {
      localStorage.removeItem(name);
    } catch {
      /* switched off */
    }
  }
}
