// The desk with scripts: shows one metric at a time, marks the current question, handles evidence,
// keys and saving.
import { Activity } from "./activity.js";
import { chooseParts } from "./conflict.js";
import { normal } from "./content.js";
import { Evidence } from "./evidence.js";
import { History } from "./history.js";
import { listen } from "./keys.js";
import { Saving } from "./saving.js";

const form = document.querySelector("#desk");
const left = document.querySelector("[data-left]");
const words = { ...document.querySelector("#saving-words").dataset, ...document.querySelector("#desk-words").dataset };
const saved = document.querySelector("[data-saved]");
const isOpen = !form.querySelector(".all").disabled;
const isStored = "review" in form.dataset;
const root = document.documentElement;
const isPhone = matchMedia("(max-width: 900px)");

root.classList.add("scripted");
root.classList.toggle("is-open", isOpen);
for (const one of document.querySelectorAll("[data-open], [data-sheet], [data-undo]")) one.hidden = false;

// --- The current panel and row --------------------------------------------------------------------

const panels = [...form.querySelectorAll("[data-panel]")];
const rows = [...form.querySelectorAll("[data-row]")];
const tabs = [...form.querySelectorAll("[data-tab]")];
const history = new History(form);
let current = rows[0];
// Evidence is pinned to the last question or score that was current.
let pinnable = rows[0];

const panelOf = (row) => row.closest("[data-panel]");
const rowsOf = (panel) => rows.filter((row) => panel.contains(row));
const isScale = (row) => row.classList.contains("scale");
const isQuestion = (row) => row.classList.contains("question");

const go = (row, { focus = true, isQuiet = false } = {}) => {
  if (!row) return;
  if (isPhone.matches && !isQuiet && row !== current) pullFor(row);
  current = row;
  if (isQuestion(row) || isScale(row)) pinnable = row;
  const panel = panelOf(row);
  for (const one of panels) one.classList.toggle("current", one === panel);
  for (const one of rows) {
    one.classList.toggle("current", one === row);
    one.tabIndex = one === row ? 0 : -1;
  }
  for (const tab of tabs) {
    if (tab.dataset.tab === panel.dataset.panel) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  const name = panel.querySelector("h2").textContent;
  form.querySelector("[data-where]").textContent = [name, row.dataset.label].filter(Boolean).join(" · ");
  if (focus) {
    // The row itself: in a text field the next shortcut would be typed, and on a radio button the
    // arrow keys and Space, which scroll, would answer.
    row.focus({ preventScroll: isQuiet || (isPhone.matches && !form.classList.contains("up")) });
    if (!isPhone.matches && !isQuiet) row.scrollIntoView({ block: "nearest" });
  }
  fit();
};

// What does not fit beside the plan is taken from the facts of the current question, and from
// nothing else; first everything moves closer together.
const scroller = form.querySelector(".desk-scroll");
const fit = () => {
  if (isPhone.matches) return;
  const facts = current.querySelector(".desk-facts");
  for (const one of form.querySelectorAll(".desk-facts")) one.style.maxHeight = "";
  form.classList.remove("tight");
  const excess = () => scroller.scrollHeight - scroller.clientHeight;
  if (excess() > 0) form.classList.add("tight");
  const line = 20;
  const cap = () => (facts.style.maxHeight = `${Math.max(facts.offsetHeight - excess(), line)}px`);
  if (excess() > 0 && facts) cap();
  // Heights are rounded: a pixel may be left.
  if (excess() > 0 && facts) cap();
};
// What scrolls can be reached by keyboard; in an open form its fields are.
if (!isOpen) for (const one of form.querySelectorAll(".desk-scroll, .desk-facts")) one.tabIndex = 0;
addEventListener("resize", fit);
form.addEventListener("toggle", fit, true);

// On a phone the sheet shows as much as the row needs: a question with its answers, or the whole
// scale with its texts.
let isPulledByHand = false;
const pullFor = (row) => pull(isPulledByHand || !isQuestion(row));

const step = (by) => go(rows[Math.min(Math.max(rows.indexOf(current) + by, 0), rows.length - 1)]);

const openPanel = (panel) => {
  const own = rowsOf(panel);
  const undone = own.find((row) => isQuestion(row) && !row.querySelector(".answers :checked"));
  go(undone ?? own.find(isScale) ?? own[0]);
};

for (const tab of tabs) {
  tab.addEventListener("click", (event) => {
    event.preventDefault();
    openPanel(panels.find((one) => one.dataset.panel === tab.dataset.tab));
  });
}
form.addEventListener("focusin", (event) => {
  const row = event.target.closest("[data-row]");
  if (row && row !== current) go(row, { focus: false });
});
form.addEventListener("click", (event) => {
  const row = event.target.closest("[data-row]");
  if (row && row !== current) go(row, { focus: false });
});

// --- Counts on the tabs ---------------------------------------------------------------------------

const count = () => {
  for (const panel of panels) {
    const tab = tabs.find((one) => one.dataset.tab === panel.dataset.panel);
    const questions = [...panel.querySelectorAll(".question")];
    if (!questions.length && !panel.querySelector(".scale")) {
      const flags = panel.querySelectorAll(".flags :checked").length;
      tab.querySelector(".count").textContent = flags ? `⚑ ${flags}` : "";
      continue;
    }
    const answered = questions.filter((row) => row.querySelector(".answers :checked")).length;
    const score = panel.querySelector(".tiles :checked")?.value;
    tab.querySelector("[data-count]").textContent = `${answered}/${questions.length}, ${score ?? "–"}`;
    const why = panel.querySelector(".why");
    const rests = why.querySelector("textarea").value.trim() || panel.querySelector(".why [data-pinned] li");
    tab.classList.toggle("is-complete", answered === questions.length && score !== undefined && Boolean(rests));
    const label = panel.querySelector("[data-why]");
    label.textContent = score === label.dataset.highest ? label.dataset.top : label.dataset.other;
  }
  // Then Submit is in sight on a phone even while the sheet is closed.
  form.classList.toggle("is-ready", tabs.every((tab) => tab.matches(".is-complete, [data-tab=overall]")));
  fit();
};

// Text fields are as high as their text; a browser that does not do it by itself is helped.
const grow = (field) => {
  if (!field.matches("textarea") || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
};

// --- The form as data, and back -------------------------------------------------------------------

const valueOf = (name) => form.elements[name]?.value ?? "";
const after = (text) => text.slice(text.indexOf(":") + 1);

const collect = () => {
  const said = { scores: {}, answers: {}, comment: valueOf("comment"), flags: [] };
  for (const field of form.querySelectorAll('input[name^="evidence:"]')) {
    const path = after(field.name);
    const key = path.slice(path.indexOf(".") + 1);
    const evidence = JSON.parse(field.value || "[]");
    if (path.startsWith("scores.")) {
      const value = form.querySelector(`input[name="score:${CSS.escape(key)}"]:checked`)?.value;
      said.scores[key] = { value: value === undefined ? null : Number(value), rationale: valueOf(`why:${key}`), evidence };
    } else {
      const answer = form.querySelector(`input[name="answer:${CSS.escape(key)}"]:checked`)?.value;
      said.answers[key] = { answer: answer ?? null, note: valueOf(`note:${key}`), evidence };
    }
  }
  said.flags = [...form.querySelectorAll('input[name="flags"]:checked')].map((one) => one.value);
  return said;
};

const choose = (name, value) => {
  for (const one of form.querySelectorAll(`input[name="${CSS.escape(name)}"]`)) {
    one.checked = value !== null && value !== undefined && one.value === String(value);
  }
};

const fill = (said) => {
  for (const field of form.querySelectorAll('input[name^="evidence:"]')) {
    const path = after(field.name);
    const key = path.slice(path.indexOf(".") + 1);
    const isScore = path.startsWith("scores.");
    const own = (isScore ? said.scores : said.answers)?.[key] ?? {};
    field.value = JSON.stringify(own.evidence ?? []);
    if (isScore) {
      choose(`score:${key}`, own.value);
      form.elements[`why:${key}`].value = own.rationale ?? "";
    } else {
      choose(`answer:${key}`, own.answer);
      form.elements[`note:${key}`].value = own.note ?? "";
    }
  }
  form.elements.comment.value = said.comment ?? "";
  for (const one of form.querySelectorAll('input[name="flags"]')) one.checked = (said.flags ?? []).includes(one.value);
  evidence.showAll();
  count();
  noteAct();
};

const coherence = () => {
  const lines = {};
  for (const one of form.querySelectorAll("[data-coherence]:not([hidden])")) {
    const text = one.querySelector("textarea").value.trim();
    if (text) lines[one.dataset.coherence] = text;
  }
  return lines;
};

// Parts that only a submit sends: the explanations of contradictions and the reason of a revision.
const linesOfSubmit = () => {
  const asked = Object.entries(coherence()).map(([metric, text]) => [`coherence:${metric}`, text]);
  return { ...Object.fromEntries(asked), reason: valueOf("reason") };
};
const bringBackLines = () => {
  for (const [name, text] of Object.entries(saving.keptLines())) {
    const field = form.elements[name];
    if (!field || field.value || !text) continue;
    field.value = text;
    const asked = field.closest("[data-coherence]");
    if (asked) asked.hidden = false;
  }
};

// --- Showing problems -----------------------------------------------------------------------------

const say = (state, sentence, link) => {
  saved.dataset.state = state;
  saved.replaceChildren(sentence);
  saved.title = sentence;
  if (link) {
    const way = document.createElement("a");
    Object.assign(way, { href: link.href, target: "_blank", rel: "opener", textContent: link.text });
    saved.append(" ", way);
  }
};

const clearProblems = () => {
  for (const one of form.querySelectorAll("p[data-problem]")) one.hidden = true;
  form.querySelector("[data-problems]").hidden = true;
};

// Show each problem beside its part and in a list of links, and move the focus to the first one.
const refuse = (errors) => {
  clearProblems();
  const box = form.querySelector("[data-problems]");
  let first = null;
  const items = errors.map(({ path, message }) => {
    const item = document.createElement("li");
    const place = form.querySelector(`[data-problem="${CSS.escape(path)}"]`);
    if (!place) {
      item.textContent = message;
      return item;
    }
    place.textContent = message;
    place.hidden = false;
    const asked = place.closest("[data-coherence]");
    if (asked) asked.hidden = false;
    first ??= place;
    const link = document.createElement("a");
    Object.assign(link, { href: `#problem-${path}`, textContent: message });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showProblem(place);
    });
    item.append(link);
    item.dataset.of = path;
    return item;
  });
  box.querySelector("ul").replaceChildren(...items);
  box.hidden = false;
  if (first) showProblem(first);
  else box.focus();
};
const showProblem = (place) => {
  const row = place.closest("[data-row]");
  if (isPhone.matches) pull(true);
  if (row) go(row, { focus: false });
  else {
    for (const one of panels) one.classList.toggle("current", one.contains(place));
  }
  const around = place.closest(".coherence, .why, .field, [data-row]") ?? place;
  if (around === row) go(row, { isQuiet: true });
  else (around.querySelector("textarea, input:not([type=hidden])") ?? place).focus({ preventScroll: true });
  around.scrollIntoView({ block: around.offsetHeight < around.closest(".desk-scroll").clientHeight ? "nearest" : "start" });
};
// A change may have fixed a problem; submit checks again.
const forgetProblems = (row) => {
  const box = form.querySelector("[data-problems]");
  for (const place of row?.querySelectorAll("[data-problem]") ?? []) {
    if (place.matches("p")) place.hidden = true;
    box.querySelector(`[data-of="${CSS.escape(place.dataset.problem)}"]`)?.remove();
  }
  if (!box.querySelector("li")) box.hidden = true;
};

// The review was withdrawn or closed in the meantime: make the form read-only.
const stop = (sentence) => {
  const place = form.querySelector("[data-stopped]");
  place.querySelector("[data-sentence]").textContent = sentence;
  place.hidden = false;
  form.querySelector(".desk-scroll").scrollTop = 0;
};

// Show the rows in which two versions differ, each with a choice.
const differ = (mine, theirs) => {
  const told = (one, main) =>
    [main ?? "–", one?.rationale || one?.note, ...(one?.evidence ?? []).map((piece) => `[${piece.text || piece.ref}]`)]
      .filter(Boolean).join(" ");
  const nameOf = (key, answer) => {
    const field = answer && form.querySelector(`input[name="answer:${CSS.escape(key)}"][value="${answer}"]`);
    return field?.nextElementSibling.firstChild.textContent;
  };
  const labelOf = (key) => form.querySelector(`input[name="answer:${CSS.escape(key)}"]`)
    ?.closest("fieldset").querySelector("legend").textContent;
  const flagged = (said) => [...form.querySelectorAll("[name=flags]")].filter((one) => said.flags?.includes(one.value))
    .map((one) => one.closest("label").textContent.trim()).join(", ") || "–";
  const { scores, answers } = collect();
  // Each part with its label, its words in a version, and how it is taken from one.
  const parts = [
    ...Object.keys(answers).map((key) => ({
      label: labelOf(key),
      words: (said) => told(said.answers?.[key], nameOf(key, said.answers?.[key]?.answer)),
      take: (into, from) => (into.answers[key] = from.answers?.[key] ?? {}),
    })),
    ...Object.keys(scores).map((key) => ({
      label: panels.find((one) => one.dataset.panel === key).querySelector("h2").textContent,
      words: (said) => told(said.scores?.[key], said.scores?.[key]?.value),
      take: (into, from) => (into.scores[key] = from.scores?.[key] ?? {}),
    })),
    { label: words.comment, words: (said) => said.comment || "–", take: (into, from) => (into.comment = from.comment ?? "") },
    { label: words.flags, words: flagged, take: (into, from) => (into.flags = from.flags ?? []) },
  ];
  return chooseParts(parts, { scores: {}, answers: {}, ...mine }, { scores: {}, answers: {}, ...theirs });
};

// --- Evidence -------------------------------------------------------------------------------------

let saving = null;
const isHeld = () => !isOpen || saving?.submission || saving?.discarding || saving?.isStopped;
const undoButton = document.querySelector("[data-undo]");
const noteAct = (field) => {
  history.note(field);
  if (undoButton) undoButton.disabled = history.isEmpty;
};
const changed = (field) => {
  count();
  noteAct(field);
  saving?.changed();
};
const evidence = new Evidence({ form, left, words, row: () => (isHeld() ? null : pinnable), changed: () => changed() });
evidence.showAll();
count();
for (const field of form.querySelectorAll("textarea")) grow(field);

const pinWords = left.querySelector("[data-pin-words]");
if (isOpen) {
  left.addEventListener("click", (event) => {
    if (event.target.closest("a, summary, button") || !document.getSelection().isCollapsed) return;
    const stop = event.target.closest(".stop[data-stop], .leg[data-stop], .fallbacks [data-stop]");
    if (!stop) return;
    evidence.pinStop(stop);
    // The focus stays in the plan, where no key answers.
    go(pinnable, { focus: false });
  });
  document.addEventListener("selectionchange", () => {
    const found = evidence.selected();
    pinWords.hidden = !found;
    if (found) pinWords.querySelector("button").textContent = `${words.pin} “${found.text.slice(0, 60)}”`;
  });
  // Read the selection before the click clears it.
  pinWords.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const found = evidence.selected();
    if (found) evidence.pin(found);
    go(pinnable, { focus: false });
    document.getSelection().removeAllRanges();
  });
  form.addEventListener("click", (event) => {
    const link = event.target.closest("[data-fact]");
    if (!link) return;
    event.preventDefault();
    evidence.pinFact(link);
    if (!link.closest("[data-row]")) go(pinnable, { focus: false });
    document.getElementById(decodeURIComponent(link.hash.slice(1)))?.scrollIntoView({ block: "center" });
  });
}
form.addEventListener("focusin", (event) => {
  const [pointer] = (event.target.closest("[data-fact]")?.dataset.refs ?? "").split(" ");
  if (pointer) left.querySelector(`li[data-stop~="${CSS.escape(pointer)}"], section[data-stop~="${CSS.escape(pointer)}"]`)?.scrollIntoView({ block: "nearest" });
});

const stops = [...left.querySelectorAll("li[data-stop]")];
for (const stop of stops) stop.tabIndex = -1;
const walk = (stop) => {
  stop?.focus();
  stop?.scrollIntoView({ block: "center" });
};

// --- The sheet of a phone -------------------------------------------------------------------------

// Show messages about the whole review above the plan, because the sheet may be closed.
const banner = form.querySelector(".banner");
const placeBanner = () => (isPhone.matches ? left : form.querySelector(".desk-scroll")).prepend(banner);
if (banner) {
  placeBanner();
  isPhone.addEventListener("change", placeBanner);
}
const handle = form.querySelector("[data-toggle-sheet]");
const pull = (isUp) => {
  form.classList.toggle("up", isUp);
  handle.setAttribute("aria-expanded", isUp);
};
handle.addEventListener("click", () => {
  isPulledByHand = !form.classList.contains("up");
  pull(isPulledByHand);
  go(current, { isQuiet: true });
});
for (const button of form.querySelectorAll("[data-go]")) {
  button.addEventListener("click", () => step(Number(button.dataset.go)));
}

// --- Dialogs --------------------------------------------------------------------------------------

for (const button of document.querySelectorAll("[data-open]")) {
  button.addEventListener("click", () => document.querySelector(`#${button.dataset.open}`).showModal());
}
for (const button of document.querySelectorAll("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
// A message like those that the server puts on a page, which goes by itself.
const showMessage = (sentence) => {
  const list = document.querySelector(".desk > .messages") ?? Object.assign(document.createElement("ul"), { className: "messages" });
  list.setAttribute("role", "status");
  const item = Object.assign(document.createElement("li"), { className: "success", textContent: sentence });
  list.append(item);
  document.querySelector(".page.desk").prepend(list);
  setTimeout(() => item.remove(), 8000);
};
const askForm = document.querySelector("[data-ask-form]");
const ask = () => {
  if (!askForm) return;
  // On the levels, ask about the chosen one.
  const level = isScale(current) && current.querySelector(".tiles :checked")?.value;
  const about = current.dataset.subject;
  if (about) askForm.elements.subject.value = level ? about.replace(/:.*$/, `:${level}`) : about;
  askForm.querySelector("[data-answer]").hidden = true;
  askForm.closest("dialog").showModal();
  askForm.elements.text.focus();
};
document.querySelector("[data-ask]")?.addEventListener("click", (event) => {
  event.preventDefault();
  ask();
});
askForm?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) askForm.requestSubmit();
});
askForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = askForm.elements.text;
  const body = { subject: askForm.elements.subject.value, text: field.value };
  saving.ask(askForm.dataset.askForm, body, (answer) => {
    const place = askForm.querySelector("[data-answer]");
    place.hidden = false;
    place.classList.toggle("is-good", answer.status === 200);
    place.textContent = answer.body.sentence ?? answer.body.detail;
    if (answer.status !== 200 || field.value !== body.text) return;
    field.value = "";
    // Sent: back to the review, with the answer for those who look.
    askForm.closest("dialog").close();
    showMessage(place.textContent);
  });
});

// --- Keys -----------------------------------------------------------------------------------------

// A click and a key do the same: choose, and go on; the same choice again clears it.
const goOn = (row, by) => {
  if (!isScale(row)) return step(1);
  const why = row.querySelector(".why textarea");
  // Whoever works with the mouse would only click there next.
  if (by === "mouse" && !why.value && !row.querySelector("[data-pinned] li")) {
    go(row, { focus: false });
    why.focus();
  } else {
    go(row);
  }
};
const press = (row, value) => {
  const field = row.querySelector(`input[type=radio][value="${CSS.escape(value)}"]`);
  if (!field || field.disabled) return;
  const isChosen = field.checked;
  field.checked = !isChosen;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  if (isChosen) go(row);
  else goOn(row);
};
let pointer = "";
form.addEventListener("pointerdown", (event) => (pointer = event.pointerType));
form.addEventListener("keydown", () => (pointer = ""));
form.addEventListener("click", (event) => {
  const field = event.target;
  if (!field.matches("[type=radio]")) return;
  const row = field.closest("[data-row]");
  if (history.before(field.name) !== field.value) return goOn(row, pointer);
  field.checked = false;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  go(row);
});
const undo = () => {
  if (isHeld()) return;
  const field = history.undo();
  if (undoButton) undoButton.disabled = history.isEmpty;
  if (!field) return;
  evidence.showAll();
  count();
  saving?.changed();
  saving?.keepLines(linesOfSubmit());
  const row = field.closest("[data-row]");
  if (row) go(row);
};
undoButton?.addEventListener("click", undo);
// Scroll keys on a row scroll the plan, which is what is read; a phone scrolls the whole page.
const SCROLL = { ArrowDown: 0.1, ArrowUp: -0.1, PageDown: 0.9, PageUp: -0.9, " ": 0.9, Home: -1e6, End: 1e6 };
const scrollPlan = (event) => {
  if (isPhone.matches) return null;
  const part = event.key === " " && event.shiftKey ? -SCROLL[" "] : SCROLL[event.key];
  return part && (() => left.scrollBy({ top: part * left.clientHeight }));
};
// Arrows on a radio button only move: Space chooses.
const moveAmong = (field, key) => {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  const group = [...form.querySelectorAll(`input[name="${CSS.escape(field.name)}"]`)];
  return by && (() => group.at((group.indexOf(field) + by) % group.length).focus());
};
const ANSWER_OF = { y: "yes", n: "no", a: "na" };

const showKeys = () => document.querySelector("#keys").showModal();

listen(
  {
    submit: () => isOpen && form.querySelector('[value="submit"]')?.click(),
    back: () => go(current),
    // Return at the end of a reason goes on to the next metric.
    done: (field) => {
      const next = field.closest(".why") && panels[panels.indexOf(panelOf(current)) + 1];
      if (next) openPanel(next);
      else go(current);
    },
    undo,
    // The focus is neither in the plan nor on a row, such as after a dialog.
    elsewhere: (key) => {
      if (["j", "k", "h", "l", "Escape"].includes(key)) return () => go(current);
      return key === "?" ? showKeys : null;
    },
    onRow: (key, target, event) => {
      const panel = panelOf(current);
      if (target.matches("[type=radio]")) {
        const move = moveAmong(target, key);
        if (move) return move;
        if (key === " ") return null;
      }
      if (key === "j") return () => step(1);
      if (key === "k") return () => step(-1);
      if (key === "h" || key === "l") {
        const next = panels[panels.indexOf(panel) + (key === "l" ? 1 : -1)];
        return next && (() => openPanel(next));
      }
      if (key === "?") return showKeys;
      if (key in SCROLL && !target.matches("summary, button, [type=checkbox]")) return scrollPlan(event);
      if (isHeld()) return null;
      const isRecording = !event.repeat;
      if (key in ANSWER_OF && isQuestion(current)) return () => isRecording && press(current, ANSWER_OF[key]);
      if (/^[0-9]$/.test(key)) {
        const scale = panel.querySelector(".scale");
        return scale && (() => isRecording && press(scale, key));
      }
      if (key === "r") return () => panel.querySelector(".why textarea")?.focus();
      if (key === "c") return () => {
        openPanel(panels.at(-1));
        form.elements.comment.focus();
      };
      if (key === "q" && askForm) return ask;
      if (key === "e") return () => walk(stops.find((one) => one.classList.contains("lit")) ?? stops[0]);
      const facts = [...current.querySelectorAll("[data-fact]")];
      if (key === "f") return () => facts[(facts.indexOf(target.closest("[data-fact]")) + 1) % facts.length]?.focus();
      if (key === "i") {
        const hints = current.querySelector(".hints");
        return hints && (() => {
          hints.open = !hints.open;
          current.scrollIntoView({ block: "nearest" });
        });
      }
      if (key === "Escape" && target !== current) return () => go(current);
      return null;
    },
    // No letter writes here: only Enter pins, and only Escape goes back.
    inPlan: (key, stop) => {
      const place = stops.indexOf(stop);
      if (key === "j") return () => walk(stops[place + 1]);
      if (key === "k") return () => walk(stops[Math.max(place - 1, 0)]);
      if (key === "Enter" && stop && isOpen) return () => {
        evidence.pinStop(stop);
        go(pinnable, { focus: false });
      };
      if (key === "Escape") return () => go(current);
      return key === "?" ? showKeys : null;
    },
  },
  { left },
);

// --- Saving and submitting ------------------------------------------------------------------------

form.addEventListener("input", (event) => {
  forgetProblems(event.target.closest("[data-row]"));
  if (event.target.matches("[type=radio]")) panelOf(event.target).querySelector("[data-coherence]").hidden = true;
  grow(event.target);
  changed(event.target);
  saving?.keepLines(linesOfSubmit());
});
form.addEventListener("focusout", () => history.pause());
if (isStored && isOpen) {
  const rest = [saved.dataset.state, saved.textContent];
  saving = new Saving({ normal, form, words, rest, activity: new Activity(Number(form.dataset.seconds)), collect, fill, say, differ, refuse, stop });
  if ("isStale" in form.dataset) saving.stored = "";
  saving.start();
  bringBackLines();
  // What this browser had kept is where undo ends.
  history.reset();
  noteAct();
  form.addEventListener("focusout", (event) => {
    if (event.target.matches("input, textarea")) saving.soon(150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearProblems();
    saving.submit({ coherence: coherence(), reason: valueOf("reason") });
  });
}
form.querySelector("[data-cancel-submit]")?.addEventListener("click", () => saving.cancelSubmit());
document.querySelector("[data-discard]")?.addEventListener("submit", (event) => {
  event.preventDefault();
  event.target.closest("dialog").close();
  saving.discard(event.target.dataset.discard);
});
// A submitted review needs no local copy.
if (form.dataset.done) {
  for (const what of ["draft", "submit", "lines"]) localStorage.removeItem(`spotcheck:${what}:${form.dataset.done}`);
}

const startAt = rows.find((row) => isQuestion(row) && !row.querySelector(".answers :checked")) ?? rows[0];
// Keys act at once, and the row that has the focus shows it.
go(startAt, { focus: isOpen && !document.querySelector("[data-focus-first]"), isQuiet: true });
