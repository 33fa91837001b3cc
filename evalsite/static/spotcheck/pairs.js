// Two plans side by side, with scripts: keys, undo, one plan at a time on a phone, and saving.
import { chooseParts } from "./conflict.js";
import { History } from "./history.js";
import { listen } from "./keys.js";
import { Saving } from "./saving.js";

const form = document.querySelector("#pair");
const left = document.querySelector("[data-left]");
const plans = document.querySelector("[data-plans]");
const words = { ...document.querySelector("#saving-words").dataset, ...document.querySelector("#desk-words").dataset };
const saved = document.querySelector("[data-saved]");
const isOpen = !form.querySelector(".all").disabled;
const isStored = "review" in form.dataset;
const isPhone = matchMedia("(max-width: 900px)");
const root = document.documentElement;

root.classList.add("scripted");
root.classList.toggle("is-open", isOpen);
for (const one of document.querySelectorAll("[data-open], [data-undo], [data-side-tabs], [data-toggle-sheet]")) one.hidden = false;

// --- The current row ------------------------------------------------------------------------------

const rows = [...form.querySelectorAll("[data-row]")];
const history = new History(form);
let current = rows[0];

const go = (row, { focus = true } = {}) => {
  if (!row) return;
  current = row;
  for (const one of rows) {
    one.classList.toggle("current", one === row);
    one.tabIndex = one === row ? 0 : -1;
  }
  // The row itself: on a radio button the arrow keys and Space, which scroll, would answer.
  if (focus) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
};
const step = (by) => go(rows[Math.min(Math.max(rows.indexOf(current) + by, 0), rows.length - 1)]);

// After a choice: on to the reason if a difference has none yet, else to the next part.
const goOn = (row, by) => {
  const why = row.querySelector(".why textarea");
  const isDifferent = row.querySelector(":checked")?.value !== "0";
  if (by && why && isDifferent && !why.value) {
    go(row, { focus: false });
    return why.focus();
  }
  step(1);
};
for (const kind of ["focusin", "click"]) {
  form.addEventListener(kind, (event) => {
    const row = event.target.closest("[data-row]");
    if (row && row !== current) go(row, { focus: false });
  });
}

// --- The form as data, and back -------------------------------------------------------------------

const after = (text) => text.slice(text.indexOf(":") + 1);
const namesOf = (start) => [...new Set([...form.querySelectorAll(`input[name^="${start}:"]`)].map((one) => one.name))];
const chosenOf = (name) => form.querySelector(`input[name="${CSS.escape(name)}"]:checked`)?.value;
const choose = (name, value) => {
  for (const one of form.querySelectorAll(`input[name="${CSS.escape(name)}"]`)) one.checked = value !== null && value !== undefined && one.value === String(value);
};

const collect = () => {
  const said = { steps: {}, sides: {}, newer: chosenOf("newer") ?? null };
  for (const name of namesOf("step")) {
    const value = chosenOf(name);
    said.steps[after(name)] = { step: value === undefined ? null : Number(value), why: form.elements[`why:${after(name)}`].value };
  }
  for (const name of namesOf("side")) said.sides[after(name)] = chosenOf(name) ?? null;
  return said;
};
const fill = (said) => {
  for (const name of namesOf("step")) {
    choose(name, said.steps?.[after(name)]?.step);
    form.elements[`why:${after(name)}`].value = said.steps?.[after(name)]?.why ?? "";
  }
  for (const name of namesOf("side")) choose(name, said.sides?.[after(name)]);
  choose("newer", said.newer);
  noteAct();
};
// Equal contents are equal whether or not empty parts are left out.
const normal = (said) => {
  const filled = (entries, isFilled) => Object.entries(entries ?? {}).filter(([, one]) => isFilled(one)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    filled(said.steps, (one) => (one.step ?? null) !== null || one.why).map(([key, one]) => [key, one.step ?? null, one.why ?? ""]),
    filled(said.sides, Boolean),
    said.newer ?? null,
  ]);
};

// --- What the page says ---------------------------------------------------------------------------

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
const problems = form.querySelector("[data-problems]");
const refuse = (errors) => {
  for (const one of form.querySelectorAll("p[data-problem]")) one.hidden = true;
  let first = null;
  const items = errors.map(({ path, message }) => {
    const item = document.createElement("li");
    item.textContent = message;
    const place = form.querySelector(`[data-problem="${CSS.escape(path)}"]`);
    if (place) {
      place.textContent = message;
      place.hidden = false;
      item.dataset.of = path;
      first ??= place;
    }
    return item;
  });
  problems.querySelector("ul").replaceChildren(...items);
  problems.hidden = false;
  pull(true);
  if (!first) return problems.focus();
  const field = first.closest(".why")?.querySelector("textarea");
  go(first.closest("[data-row]"), { focus: !field });
  field?.focus();
};
// A change may have fixed a problem; submit checks again.
const forgetProblems = (row) => {
  for (const place of row?.querySelectorAll("p[data-problem]") ?? []) {
    place.hidden = true;
    problems.querySelector(`[data-of="${CSS.escape(place.dataset.problem)}"]`)?.remove();
  }
  if (!problems.querySelector("li")) problems.hidden = true;
};
const stop = (sentence) => {
  const place = form.querySelector("[data-stopped]");
  place.querySelector("[data-sentence]").textContent = sentence;
  place.hidden = false;
};
const differ = (mine, theirs) => {
  const nameOf = (name, value) => form.querySelector(`input[name="${CSS.escape(name)}"][value="${value}"]`)?.closest("label").textContent.trim() ?? "–";
  const legendOf = (name) => form.querySelector(`input[name="${CSS.escape(name)}"]`).closest("fieldset").querySelector("legend").textContent;
  const parts = [
    ...namesOf("step").map((name) => ({
      label: legendOf(name),
      words: (said) => [nameOf(name, said.steps?.[after(name)]?.step), said.steps?.[after(name)]?.why].filter(Boolean).join(" "),
      take: (into, from) => (into.steps[after(name)] = from.steps?.[after(name)] ?? {}),
    })),
    ...namesOf("side").map((name) => ({
      label: legendOf(name),
      words: (said) => nameOf(name, said.sides?.[after(name)]),
      take: (into, from) => (into.sides[after(name)] = from.sides?.[after(name)] ?? null),
    })),
    { label: legendOf("newer"), words: (said) => nameOf("newer", said.newer), take: (into, from) => (into.newer = from.newer ?? null) },
  ];
  return chooseParts(parts, { steps: {}, sides: {}, ...mine }, { steps: {}, sides: {}, ...theirs });
};

// --- One plan at a time on a phone ----------------------------------------------------------------

const tabs = [...document.querySelectorAll("[data-show]")];
const show = (side) => {
  // The day at the top stays there: both plans have it in the same row.
  const days = [...plans.querySelectorAll("[data-day]")];
  const top = document.querySelector(".request").getBoundingClientRect().bottom;
  const day = days.findLast((one) => one.getBoundingClientRect().top <= top + 1) ?? null;
  const before = day?.getBoundingClientRect().top;
  plans.dataset.shown = side;
  for (const tab of tabs) tab.setAttribute("aria-pressed", tab.dataset.show === side);
  if (day) left.scrollBy({ top: day.getBoundingClientRect().top - before, behavior: "instant" });
};
show("left");
for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.show));
let touch = null;
plans.addEventListener("touchstart", (event) => (touch = event.touches[0]), { passive: true });
plans.addEventListener("touchend", (event) => {
  const { clientX, clientY } = event.changedTouches[0];
  const [across, down] = [clientX - touch.clientX, clientY - touch.clientY];
  if (isPhone.matches && Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) show(across < 0 ? "right" : "left");
}, { passive: true });
const toggle = form.querySelector("[data-toggle-sheet]");
const pull = (isUp) => {
  form.classList.toggle("up", isUp);
  toggle.setAttribute("aria-expanded", isUp);
};
toggle.addEventListener("click", () => pull(!form.classList.contains("up")));

// --- Choices, keys and undo -----------------------------------------------------------------------

let saving = null;
const isHeld = () => !isOpen || saving?.submission || saving?.isStopped;
const undoButton = document.querySelector("[data-undo]");
const noteAct = (field) => {
  history.note(field);
  if (undoButton) undoButton.disabled = history.isEmpty;
};
const press = (row, place) => {
  const field = row.querySelectorAll("input[type=radio]")[place - 1];
  if (!field || field.disabled) return;
  const isChosen = field.checked;
  field.checked = !isChosen;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  if (isChosen) go(row);
  else goOn(row, "");
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
  saving?.changed();
  go(field.closest("[data-row]"));
};
undoButton?.addEventListener("click", undo);
const SCROLL = { ArrowDown: 0.1, ArrowUp: -0.1, PageDown: 0.9, PageUp: -0.9, " ": 0.9, Home: -1e6, End: 1e6 };
const scrollPlans = (event) => {
  const part = event.key === " " && event.shiftKey ? -SCROLL[" "] : SCROLL[event.key];
  return part && (() => left.scrollBy({ top: part * left.clientHeight }));
};
const showKeys = () => document.querySelector("#keys").showModal();
const comeBack = (key) => (["j", "k", "Escape"].includes(key) ? () => go(current) : key === "?" ? showKeys : null);
for (const button of document.querySelectorAll("[data-open]")) button.addEventListener("click", () => document.querySelector(`#${button.dataset.open}`).showModal());

listen(
  {
    submit: () => isStored && isOpen && form.requestSubmit(form.querySelector('[value="submit"]')),
    back: () => go(current),
    done: () => step(1),
    undo,
    elsewhere: comeBack,
    inPlan: comeBack,
    onRow: (key, target, event) => {
      if (key === "j") return () => step(1);
      if (key === "k") return () => step(-1);
      if (key === "?") return showKeys;
      if (key in SCROLL && !target.matches("[type=radio], button")) return scrollPlans(event);
      if (isHeld()) return null;
      if (/^[1-7]$/.test(key)) return () => event.repeat || press(current, Number(key));
      if (key === "r") return () => current.querySelector(".why textarea")?.focus();
      if (key === "Escape" && target !== current) return () => go(current);
      return null;
    },
  },
  { left },
);

// --- Saving and submitting ------------------------------------------------------------------------

form.addEventListener("input", (event) => {
  forgetProblems(event.target.closest("[data-row]"));
  noteAct(event.target);
  saving?.changed();
});
form.addEventListener("focusout", () => history.pause());
form.addEventListener("submit", (event) => {
  if (!isStored) return event.preventDefault();
  event.preventDefault();
  saving?.submit({});
});
if (isStored && isOpen) {
  const rest = [saved.dataset.state, saved.textContent];
  saving = new Saving({ form, words, rest, collect, fill, say, differ, refuse, stop, normal });
  if ("isStale" in form.dataset) saving.stored = "";
  saving.start();
  history.reset();
  noteAct();
  form.querySelector("[data-cancel-submit]")?.addEventListener("click", () => saving.cancelSubmit());
}
if (isOpen) go(current, { focus: !isPhone.matches });
