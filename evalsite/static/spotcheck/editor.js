// The form beside a rubric document: the server brings what is typed in one into the other. Every
// request sends both sides. Its answer is only taken if nothing was typed since, on either side; if
// something was, all is sent again. So no answer replaces what a person typed.

const form = document.querySelector("[data-editor]");
const editor = document.querySelector("#editor");
const text = form.elements.text;
const PAUSE = 400;
const LONGEST_PAUSE = 20_000;
let typed = 0; // how often something was typed, so the number of the last change
let sent = 0; // the last change that the page and the server agree on
let step = null; // the act that was asked for and is not answered yet
let isBusy = false;
let failures = 0;
let timer;
let isLeaving = false;
let isComposing = false;
let before = null; // the document before the last step

document.documentElement.classList.add("scripted");

const isField = (element) => element.name?.startsWith("edit:");
const fields = () => [...editor.querySelectorAll("textarea")].filter(isField);

const wait = (pause = PAUSE) => {
  clearTimeout(timer);
  timer = setTimeout(refresh, pause);
};

const note = (sentence) => {
  let line = editor.querySelector("[data-failure]");
  if (!line && sentence) {
    line = document.createElement("p");
    line.className = "refusal";
    line.dataset.failure = "";
    editor.querySelector("[data-notes]").append(line);
  }
  if (line) sentence ? (line.textContent = sentence) : line.remove();
};

async function refresh() {
  clearTimeout(timer);
  if (isBusy || isComposing) return;
  isBusy = true;
  const at = typed;
  const asked = step;
  const body = new FormData(form);
  body.delete("file");
  body.set("act", asked ?? "edit");
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
    if (answer.status === 401 || answer.redirected) return note(form.dataset.signedOut);
    if (!answer.ok) throw new Error(answer.status);
    failures = 0;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (at === typed && asked === step && !isComposing) take(page.querySelector("#editor"), asked);
  } catch {
    failures += 1;
    note(form.dataset.failed);
  } finally {
    isBusy = false;
  }
  if (failures) wait(Math.min(PAUSE * 2 ** failures, LONGEST_PAUSE));
  else if (typed !== sent || step) wait();
}

// --- Taking an answer -----------------------------------------------------------------------------

function take(answer, asked) {
  const old = text.value;
  const written = answer.querySelector("textarea[name=text]").value;
  const isStep = asked && asked !== "forget";
  sent = typed;
  step = null;
  if (written !== old) setText(written);
  const focused = document.activeElement;
  const cursor = [focused.selectionStart, focused.selectionEnd];
  morph(editor, answer);
  // An element that was moved has lost the focus.
  if (focused.isConnected && focused !== document.activeElement) {
    focused.focus({ preventScroll: true });
    if (focused.matches("textarea")) focused.setSelectionRange(...cursor);
  }
  editor.removeAttribute("aria-busy");
  if (isStep) before = editor.querySelector("[data-done]") ? old : null;
  const undo = editor.querySelector("[data-undo]");
  if (undo) undo.hidden = before === null;
  if (isStep) moveFocus(editor.dataset.focus, focused);
}

// Keep the cursor where it was in the text, and in view what was changed from the form.
function setText(written) {
  const old = text.value;
  const most = Math.min(old.length, written.length);
  let head = 0;
  while (head < most && old[head] === written[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === written.at(-1 - tail)) tail += 1;
  const move = (place) => (place <= head ? place : Math.max(head, place + (place >= old.length - tail ? written.length - old.length : 0)));
  const [start, end, top] = [move(text.selectionStart), move(text.selectionEnd), text.scrollTop];
  text.value = written;
  text.setSelectionRange(Math.min(start, written.length), Math.min(end, written.length));
  const place = text.scrollHeight * (head / Math.max(1, written.length));
  const isInView = place >= top && place < top + text.clientHeight * 0.9;
  text.scrollTop = text === document.activeElement || isInView ? top : place - text.clientHeight / 3;
}

// Give the page what the answer has, but leave elements that are the same where they are, so that
// the focus and the cursor stay.
function morph(here, there) {
  const names = new Set([...here.getAttributeNames(), ...there.getAttributeNames()]);
  names.delete("open");
  for (const name of names) {
    const value = there.getAttribute(name);
    if (value === null) here.removeAttribute(name);
    else if (here.getAttribute(name) !== value) here.setAttribute(name, value);
  }
  if (here.matches("textarea, input, select")) return setField(here, there);
  if (here.matches("details") && there.open) here.open = true;
  const [ours, theirs] = [[...here.childNodes], [...there.childNodes]];
  const isAlike = ours.length === theirs.length && ours.every((node, place) => keyOf(node) === keyOf(theirs[place]));
  if (!isAlike) return replaceChildren(here, there);
  ours.forEach((node, place) => {
    if (node.nodeType === Node.ELEMENT_NODE) morph(node, theirs[place]);
    else if (node.data !== theirs[place].data) node.data = theirs[place].data;
  });
}

const keyOf = (node) => `${node.nodeName} ${node.id ?? ""}`;

// Children with the same id are kept, in the order of the answer.
function replaceChildren(here, there) {
  const kept = new Map([...here.children].filter((child) => child.id).map((child) => [child.id, child]));
  const children = [...there.childNodes].map((node) => {
    const own = node.id && kept.get(node.id);
    if (!own || own.nodeName !== node.nodeName) return node;
    morph(own, node);
    return own;
  });
  here.replaceChildren(...children);
}

function setField(here, there) {
  if (here === text) return;
  if (here.type === "hidden") here.value = there.value;
  else if (isField(here)) {
    here.defaultValue = there.defaultValue;
    if (here !== document.activeElement && here.value !== there.value) here.value = there.value;
  }
}

function moveFocus(id, focused) {
  let goal = id && document.getElementById(id);
  if (goal?.disabled) goal = goal.closest(".part, .metric-fields").querySelector("textarea");
  if (goal) goal.focus();
  else if (!focused.isConnected) editor.querySelector("[data-notes]").focus();
}

// --- What a person does ---------------------------------------------------------------------------

form.addEventListener("input", (event) => {
  if (event.target !== text && !isField(event.target)) return;
  typed += 1;
  before = null;
  const undo = editor.querySelector("[data-undo]");
  if (undo) undo.hidden = true;
  wait();
});

// While characters are composed, as for Chinese, nothing is sent and no answer is taken.
form.addEventListener("compositionstart", () => {
  isComposing = true;
  clearTimeout(timer);
});
form.addEventListener("compositionend", () => {
  isComposing = false;
  wait();
});

for (const name of ["translates", "language"]) {
  form.elements[name].addEventListener("change", () => {
    typed += 1;
    wait(0);
  });
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.name === "act") {
    event.preventDefault();
    // A second press before the answer would mean another part.
    if (step) return;
    step = button.value;
    editor.setAttribute("aria-busy", "true");
    wait(0);
  } else if (button && "undo" in button.dataset && before !== null) {
    const old = before;
    before = null;
    setText(old);
    typed += 1;
    button.closest("p").remove();
    wait(0);
  }
});

// Texts of one line: Return goes on to the next text.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || !event.target.matches("[data-line]")) return;
  event.preventDefault();
  const all = fields().filter((field) => field.checkVisibility());
  all[all.indexOf(event.target) + 1]?.focus();
});

// A mistake leads to its field, or to its line in the document.
editor.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-row]");
  if (!link) return;
  const row = Number(link.dataset.row);
  const lines = text.value.split("\n");
  const start = lines.slice(0, row - 1).join("\n").length + (row > 1);
  text.setSelectionRange(start, start + lines[row - 1].length);
  text.scrollTop = (text.scrollHeight * (row - 3)) / lines.length;
  const field = document.getElementById(link.hash.slice(1));
  if (!field) return;
  event.preventDefault();
  for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  field.focus();
});

form.addEventListener("submit", (event) => {
  isLeaving = !event.submitter?.formTarget;
});
// The desk as on a phone: a window of that size, where the browser allows it.
for (const button of form.querySelectorAll("[data-window]")) {
  button.addEventListener("click", () => {
    const [width, height] = button.dataset.window.split("x");
    if (width) open("", button.formTarget, `popup,width=${width},height=${height}`);
  });
}
addEventListener("pageshow", () => {
  isLeaving = false;
});
addEventListener("beforeunload", (event) => {
  if (!isLeaving && typed) event.preventDefault();
});
