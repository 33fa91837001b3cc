// Keyboard shortcuts. They do nothing while the person types, composes, or a dialog is open. Keys that
// write act only while a row of the form has the focus.

const isTyping = (target) =>
  target.matches("textarea, select, input:not([type=radio], [type=checkbox])") || target.isContentEditable;

export const listen = (acts, { left }) => {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      acts.submit();
      return;
    }
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && !isTyping(event.target)) {
      event.preventDefault();
      acts.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") {
        event.preventDefault();
        acts.back();
      } else if (event.key === "Enter" && !event.shiftKey && event.target.matches("input, [data-line]")) {
        // Return in a text field moves on; it never submits an unfinished review.
        event.preventDefault();
        acts.done(event.target);
      }
      return;
    }
    if (event.key === "Enter" && event.target.matches("input")) {
      // Otherwise the browser would submit the form.
      event.preventDefault();
      return;
    }
    const { target, key } = event;
    const act = left.contains(target) ? acts.inPlan(key, target.closest("[data-stop]"))
      : target.closest("[data-row]") ? acts.onRow(key, target, event)
        : acts.elsewhere(key);
    if (act) {
      event.preventDefault();
      act();
    }
  });
};
