// Keyboard shortcuts. They do nothing while the person types, composes, or a dialog is open.

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
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") {
        event.preventDefault();
        acts.back();
      } else if (event.key === "Enter" && event.target.matches("input")) {
        // Return in a text field moves on; it never submits an unfinished review.
        event.preventDefault();
        acts.back();
      }
      return;
    }
    if (event.key === "Enter" && event.target.matches("input")) {
      // Otherwise the browser would submit the form.
      event.preventDefault();
      return;
    }
    const stop = left.contains(event.target) ? event.target.closest("[data-stop]") : null;
    const act = (stop && acts.inPlan(event.key, stop)) ?? acts.onDesk(event.key, event.target);
    if (act) {
      event.preventDefault();
      act();
    }
  });
};
