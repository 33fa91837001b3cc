// Pin evidence (stops, facts and quotes of the case) to the current question or score. It is stored
// in the hidden field beside that question, so that a form without scripts sends it too.

const MOST_PIECES = 12;
const LONGEST_LABEL = 200;

const tidy = (text) => text.replace(/\s+/g, " ").trim().slice(0, LONGEST_LABEL);
const points = (text) => [...text].length;

export class Evidence {
  // `row` returns the current row, `changed` is called after every change.
  constructor({ form, left, words, row, changed }) {
    Object.assign(this, { form, left, words, row, changed });
    this.isOpen = !form.querySelector(".all").disabled;
  }

  field(row) {
    return row.querySelector('input[name^="evidence:"]');
  }

  pieces(row) {
    return JSON.parse(this.field(row).value || "[]");
  }

  write(row, pieces) {
    this.field(row).value = JSON.stringify(pieces);
    this.show(row);
    this.changed();
  }

  // Pinning the same evidence again removes it.
  pin(piece, row = this.row()) {
    if (!row || !this.field(row)) return;
    const pieces = this.pieces(row);
    const rest = pieces.filter((one) => one.kind !== piece.kind || one.ref !== piece.ref);
    if (rest.length < pieces.length) this.write(row, rest);
    else if (pieces.length < MOST_PIECES) this.write(row, [...pieces, piece]);
  }

  pinStop(stop) {
    const ref = stop.dataset.stop.split(" ")[0];
    const time = stop.querySelector(".time")?.textContent ?? "";
    const title = stop.querySelector(".title, h3")?.textContent ?? stop.textContent;
    this.pin({ kind: "stop", ref, text: tidy(`${time} ${title}`) });
  }

  pinFact(link) {
    const row = link.closest("[data-row]") ?? this.row();
    const text = tidy(link.querySelector("[data-text]").textContent);
    this.pin({ kind: "fact", ref: link.dataset.fact, text }, row);
  }

  // Return the selection as code point offsets, if it lies within one text of the case.
  selected() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const around = range.commonAncestorContainer;
    const holder = (around.nodeType === Node.TEXT_NODE ? around.parentElement : around)
      .closest("[data-pointer]");
    const text = range.toString();
    if (!holder || !this.left.contains(holder) || !text.trim()) return null;
    const before = document.createRange();
    before.selectNodeContents(holder);
    before.setEnd(range.startContainer, range.startOffset);
    const start = Number(holder.dataset.start ?? 0) + points(before.toString());
    const ref = `${holder.dataset.pointer}#${start}-${start + points(text)}`;
    return { kind: "quote", ref, text: tidy(text) };
  }

  show(row) {
    const list = row.querySelector("[data-pinned]");
    // Mark a fact of the same row in place.
    const own = new Set([...row.querySelectorAll("[data-fact]")].map((link) => link.dataset.fact));
    const others = this.pieces(row).filter((piece) => piece.kind !== "fact" || !own.has(piece.ref));
    list.dataset.count = this.words.pinned.replace("{n}", others.length);
    list.replaceChildren(
      ...others.map((piece) => {
        const item = document.createElement("li");
        const label = document.createElement("span");
        label.textContent = piece.kind === "quote" ? `“${piece.text}”` : piece.text || piece.ref;
        label.title = label.textContent;
        item.append(label);
        if (this.isOpen) {
          const remove = document.createElement("button");
          remove.type = "button";
          remove.textContent = "×";
          remove.setAttribute("aria-label", `${this.words.remove} ${label.textContent}`);
          remove.addEventListener("click", () => {
            this.write(row, this.pieces(row).filter((one) => one.ref !== piece.ref));
            row.focus();
          });
          item.append(remove);
        }
        return item;
      }),
    );
    this.mark();
  }

  showAll() {
    for (const row of this.form.querySelectorAll("[data-row]")) if (this.field(row)) this.show(row);
  }

  // On the left, mark everything that is pinned anywhere; among the facts, only this question's.
  mark() {
    const stops = new Set();
    for (const row of this.form.querySelectorAll("[data-row]")) {
      if (!this.field(row)) continue;
      const pieces = this.pieces(row);
      for (const one of pieces) if (one.kind === "stop") stops.add(one.ref);
      for (const link of row.querySelectorAll("[data-fact]")) {
        const isPinned = pieces.some((one) => one.kind === "fact" && one.ref === link.dataset.fact);
        link.classList.toggle("is-pinned", isPinned);
        if (!this.isOpen) continue;
        // Not a button: Space, which would press one, scrolls.
        if (isPinned) link.setAttribute("aria-description", this.words.isPinned);
        else link.removeAttribute("aria-description");
      }
    }
    for (const stop of this.left.querySelectorAll("li[data-stop]")) {
      const own = stop.dataset.stop.split(" ");
      stop.classList.toggle("is-evidence", own.some((one) => stops.has(one)));
    }
  }
}
