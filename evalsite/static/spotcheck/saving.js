// Save drafts. Nothing is shown as saved before the server confirms it, and nothing is lost if it
// cannot.
//
// Every change is copied to this browser at once, under the person and the review. The copy is
// deleted when the server has confirmed exactly that content.

const PAUSE = 1200;
const RETRY = [2000, 4000, 8000, 15000, 30000];
const KEEPALIVE_LIMIT = 60000;
// How long to wait before checking again who is signed in.
const POLL = 15000;
// How often a request is retried with a fresh token before a pause.
const MOST_RENEWALS = 3;
// A question in the middle of a word would swallow letters: it waits for a pause in the typing.
const QUIET = 1500;
// In place of a status: no answer came, or someone else is signed in, so nothing was sent.
const LOST = 0;
const UNSENT = -1;

export class Saving {
  // `collect` returns the content of the form, `fill` replaces it, `say(state, sentence)` shows the
  // state, `differ(mine, theirs)` asks which of two versions to keep, `stop(sentence)` makes the form
  // read-only. `rest` is the sentence shown while everything is stored, `normal` a text of the content
  // that is the same for equal contents. `activity` counts the seconds in which the page was used.
  constructor({ form, words, rest, activity, collect, fill, say, differ, refuse, stop, normal }) {
    Object.assign(this, { form, words, rest, activity, collect, fill, say, differ, refuse, stop, normal });
    const { review, user, version } = form.dataset;
    this.version = Number(version);
    this.user = user;
    this.copyName = `spotcheck:draft:${user}:${review}`;
    this.submitName = `spotcheck:submit:${user}:${review}`;
    this.linesName = `spotcheck:lines:${user}:${review}`;
    this.stored = this.normal(collect());
    // Sent but not answered. The server may have it, so it is sent again before anything else.
    this.unanswered = null;
    this.failures = 0;
    this.isBusy = false;
    this.isStopped = false;
    this.submission = null;
    this.discarding = null;
    this.question = null;
    this.isWaitingForPerson = false;
  }

  // What a review sends of the time it took; a pair sends nothing.
  get seconds() {
    return this.activity ? { active_seconds: this.activity.seconds } : {};
  }

  get token() {
    return this.form.querySelector('[name="csrfmiddlewaretoken"]').value;
  }

  start() {
    const kept = this.read(this.copyName);
    if (kept && this.normal(kept.said) !== this.stored) {
      // A save in flight when the page was closed has arrived since.
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
    // Another tab of this browser has opened a page, perhaps after signing in.
    new BroadcastChannel("spotcheck").onmessage = () => this.isWaitingForPerson && this.renew();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.leave();
      else if (this.isWaitingForPerson) this.renew();
    });
  }

  // --- Changes ----------------------------------------------------------------------------------

  changed() {
    if (this.isStopped || this.isChoosing) return;
    this.changedAt = Date.now();
    const said = this.collect();
    if (this.normal(said) === this.stored && !this.isBusy && !this.unanswered) {
      // Changed and changed back: keep neither the copy nor a save of the state in between.
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
    if (this.isWaitingForPerson) return void this.renew();
    if (this.question) this.sendQuestion();
    if (this.submission) this.sendSubmission();
    else if (this.discarding) this.sendDiscard();
    else this.soon(0);
  }

  get isAllStored() {
    return !this.unanswered && !this.submission && !this.discarding && this.normal(this.collect()) === this.stored;
  }

  async send() {
    if (this.isBusy || this.isStopped || this.isChoosing || this.isToChoose || this.submission || this.discarding) return;
    const said = this.unanswered ?? this.collect();
    const content = this.normal(said);
    if (content === this.stored && !this.unanswered) return;
    // Never send while someone else is signed in.
    if (this.isWaitingForPerson) return void this.renew();
    this.isBusy = true;
    this.unanswered = said;
    this.keep(this.collect());
    const answer = await this.post(this.form.dataset.draft, { version: this.version, ...said, ...this.seconds }, { method: "PUT" });
    this.isBusy = false;
    if (!answer) return;
    this.unanswered = null;
    if (answer.status === 200) this.settle(answer.body.version, content, answer.body.sentence);
    else this.trouble(answer, said);
  }

  // The server has stored `content`; newer changes in the form are sent next.
  settle(version, content, sentence) {
    this.version = version;
    this.stored = content;
    this.rest = ["saved", sentence];
    const said = this.collect();
    if (this.normal(said) === this.stored) {
      this.drop(this.copyName);
      this.say(...this.rest);
    } else {
      this.keep(said);
      this.say("unsaved", this.words.unsaved);
      this.soon(PAUSE);
    }
  }

  // --- Submitting -------------------------------------------------------------------------------

  // The idempotency key is made once per content and kept until the answer arrives, so that a retry
  // after a lost answer submits the same review.
  async submit(more) {
    clearTimeout(this.timer);
    while (this.isBusy) await new Promise((done) => setTimeout(done, 50));
    if (this.isStopped || this.isChoosing || this.submission || this.discarding) return;
    const said = this.collect();
    const body = { version: this.version, ...said, ...more, ...this.seconds };
    const content = JSON.stringify([this.normal(said), more]);
    const earlier = this.read(this.submitName);
    const key = earlier?.content === content ? earlier.key : crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    this.keep(said);
    this.write(this.submitName, { key, content });
    this.submission = { key, body };
    // Anything typed now would not be part of the submit.
    this.hold(true);
    await this.sendSubmission();
  }

  async sendSubmission() {
    if (this.isBusy || !this.submission) return;
    if (this.isWaitingForPerson) return void this.renew();
    const { key, body } = this.submission;
    this.isBusy = true;
    this.say("saving", this.words.submitting);
    this.offerCancel(false);
    const answer = await this.post(this.form.dataset.submit, body, { headers: { "Idempotency-Key": key } });
    this.isBusy = false;
    if (!answer) return void this.offerCancel(Boolean(this.submission));
    if (this.isTaken(answer, this.unanswered ?? body)) {
      // An earlier save succeeded but its answer was lost: the stored version is higher.
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

  // --- Discarding and asking --------------------------------------------------------------------

  // Discard a revision, here and on the server. It is idempotent, so it is retried after a lost
  // answer.
  async discard(address) {
    clearTimeout(this.timer);
    while (this.isBusy) await new Promise((done) => setTimeout(done, 50));
    if (this.isStopped || this.isChoosing || this.submission || this.discarding) return;
    this.discarding = address;
    this.hold(true);
    await this.sendDiscard();
  }

  async sendDiscard() {
    if (this.isBusy || !this.discarding) return;
    if (this.isWaitingForPerson) return void this.renew();
    this.isBusy = true;
    const answer = await this.post(this.discarding, { version: this.version });
    this.isBusy = false;
    if (!answer) return;
    this.discarding = null;
    if (answer.status !== 200) {
      this.hold(false);
      return this.trouble(answer, this.collect());
    }
    this.isStopped = true;
    for (const name of [this.copyName, this.submitName, this.linesName]) this.drop(name);
    location.assign(location.pathname);
  }

  // Send a question and pass the answer to `tell`. Sending it twice would ask twice, so it is
  // retried only if it was certainly not accepted: someone else, or nobody, was signed in.
  async ask(address, body, tell) {
    if (this.isAsking) return;
    this.question = { address, body, tell };
    await this.sendQuestion();
  }

  async sendQuestion() {
    if (this.isAsking || !this.question) return;
    const { address, body, tell } = this.question;
    if (this.isWaitingForPerson) {
      tell(this.unsent());
      return void this.renew();
    }
    this.isAsking = true;
    const answer = await this.deliver(address, body);
    this.isAsking = false;
    if (answer.status !== UNSENT) this.question = null;
    tell(answer);
  }

  // A submit without an answer can be taken back: the review is open again here. If it did arrive
  // all the same, the next save says that it was submitted.
  offerCancel(isOffered) {
    const button = this.form.querySelector("[data-cancel-submit]");
    if (button) button.hidden = !isOffered;
  }

  cancelSubmit() {
    if (!this.submission || this.isBusy) return;
    this.submission = null;
    this.offerCancel(false);
    this.hold(false);
    this.soon(PAUSE);
  }

  hold(isHeld) {
    this.form.querySelector(".all").inert = isHeld;
    this.form.querySelector('[value="submit"]').disabled = isHeld;
  }

  // --- Failures ---------------------------------------------------------------------------------

  // Return the answer, or null if there was none; then it is retried.
  async post(address, body, options) {
    const answer = await this.deliver(address, body, options);
    return answer.status === LOST || answer.status === UNSENT ? null : answer;
  }

  // The same, but distinguishes LOST (the server may have it) from UNSENT (it has not).
  async deliver(address, body, options) {
    for (let renewals = 0; ; renewals += 1) {
      const answer = await this.request(address, body, options);
      const { status } = answer;
      if (status === LOST || status >= 500 || status === 429) return this.wait();
      const isFromBefore = status === 401 || (status === 403 && answer.body.code === "form_expired");
      // The refusal may be for someone else who is signed in now.
      const isRefused = !isFromBefore && (status === 403 || status === 404);
      const person = isFromBefore || isRefused ? await this.findPerson() : "owner";
      if (person === "stranger") return this.unsent();
      if (person === "away") return { ...this.wait(), status: UNSENT };
      const most = isFromBefore ? MOST_RENEWALS : status === 404 ? 1 : 0;
      if (person === "owner" && renewals < most) continue;
      if (isFromBefore) return this.askToSignIn(this.words.notAccepted, false);
      this.failures = 0;
      return answer;
    }
  }

  // Call the API in the session of this browser.
  async request(address, body, { method = "POST", headers = {} } = {}) {
    const text = JSON.stringify(body);
    try {
      const response = await fetch(address, {
        method,
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
      return { status: response.status, body: await response.json().catch(() => ({})) };
    } catch {
      return { status: LOST, body: {} };
    }
  }

  wait() {
    this.say("offline", this.words.offline);
    const pause = RETRY[Math.min(this.failures, RETRY.length - 1)];
    this.failures += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.again(), pause);
    return { status: LOST, body: { detail: this.words.offline } };
  }

  // --- Who is signed in -------------------------------------------------------------------------

  askToSignIn(sentence, isWithLink = true) {
    this.isWaitingForPerson = true;
    this.waitingWords = sentence;
    this.say("session", sentence, isWithLink && { href: this.words.login, text: this.words.signIn });
    this.pollLater();
    return this.unsent();
  }

  unsent() {
    return { status: UNSENT, body: { detail: this.waitingWords } };
  }

  pollLater() {
    clearTimeout(this.poll);
    this.poll = setTimeout(() => this.renew(), POLL);
  }

  async renew() {
    const person = await this.findPerson();
    if (person !== "owner") return void this.pollLater();
    if (this.isAllStored && !this.isStopped) this.say(...this.rest);
    this.again();
  }

  // Take a fresh token if it is for the owner of this page, and return who is signed in: "owner",
  // "stranger" (also nobody), "away" if there was no answer, "unknown" for any other answer.
  //
  // Only the newest request counts: the answer to an older one, from before a sign-in, may arrive
  // later.
  findPerson() {
    const question = this.fetchToken().then((found) => (question === this.newest ? this.takeToken(found) : this.newest));
    this.newest = question;
    return question;
  }

  async fetchToken() {
    try {
      const response = await fetch(this.form.dataset.token, { cache: "no-store", headers: { Accept: "application/json" } });
      return { status: response.status, ...(await response.json().catch(() => ({}))) };
    } catch {
      return { status: LOST };
    }
  }

  takeToken({ status, token, user }) {
    if (status === LOST || status >= 500 || status === 429) return "away";
    if (status !== 200 && status !== 401) return "unknown";
    if (status === 401 || user !== this.user) {
      this.askToSignIn(status === 401 ? this.words.session : this.words.otherPerson);
      return "stranger";
    }
    for (const field of document.querySelectorAll('[name="csrfmiddlewaretoken"]')) field.value = token;
    this.isWaitingForPerson = false;
    clearTimeout(this.poll);
    return "owner";
  }

  // Return whether a refusal only means that this content is already stored and its answer was lost.
  isTaken({ status, body }, said) {
    return status === 409 && body.code === "stale_version" && !body.is_submitted && this.normal(body.draft) === this.normal(said);
  }

  trouble(answer, said) {
    const { status, body } = answer;
    if (this.isTaken(answer, said)) return this.settle(body.version, this.normal(said), body.sentence);
    if (status === 409 && body.code === "stale_version") {
      if (body.is_submitted && !("isRevision" in this.form.dataset) && this.normal(body.draft) === this.normal(said)) {
        this.drop(this.copyName);
        this.isStopped = true;
        location.assign(this.form.dataset.next);
        return;
      }
      this.rest = ["saved", body.sentence];
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
    if (this.normal(this.collect()) !== this.stored) this.keep(this.collect());
    this.hold(true);
    this.say("closed", sentence);
    this.stop(sentence);
  }

  // Ask which of two versions to keep, row by row.
  async choose(theirs, version, isSubmitted = false) {
    this.isToChoose = true;
    while (Date.now() - (this.changedAt ?? 0) < QUIET) await new Promise((done) => setTimeout(done, 100));
    this.isChoosing = true;
    const mine = this.collect();
    this.keep(mine);
    const chosen = await this.differ(mine, theirs);
    const kept = this.normal(chosen) === this.normal(theirs) ? "theirs" : "mine";
    this.isChoosing = false;
    this.isToChoose = false;
    this.unanswered = null;
    this.version = version;
    this.stored = this.normal(theirs);
    // Submitted elsewhere: the changes here are a revision, which is another page.
    if (isSubmitted && !("isRevision" in this.form.dataset)) {
      this.isStopped = true;
      if (kept === "mine") this.keep(chosen);
      else this.drop(this.copyName);
      location.assign(kept === "mine" ? "?revise=1" : location.pathname);
      return;
    }
    if (kept === "theirs") {
      this.fill(theirs);
      this.drop(this.copyName);
      this.say(...this.rest);
    } else {
      this.fill(chosen);
      this.keep(chosen);
      this.soon(0);
    }
  }

  // --- Copies in this browser -------------------------------------------------------------------

  keep(said) {
    const sent = this.unanswered && this.normal(this.unanswered);
    this.write(this.copyName, { version: this.version, sent, said });
  }

  // Parts that only a submit sends belong to no draft; they are kept here until then.
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

  // Saving works even if the browser has no local storage.
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
