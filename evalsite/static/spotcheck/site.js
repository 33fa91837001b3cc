// Small conveniences; every page works without them. Contact with the page: data-* attributes only.

// After a form came back, the reader starts at what must be looked at.
document.querySelector("[data-focus-first]")?.focus();

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.querySelector(button.dataset.copy);
    field.select();
    // Clipboard access needs a secure origin; elsewhere the selected text can be copied by hand.
    await navigator.clipboard?.writeText(field.value);
    button.textContent = button.dataset.copied;
  });
}

// Where one form holds several groups, the return key presses the button of its own group. Delegated:
// lists are replaced while one types.
document.addEventListener("keydown", (event) => {
  const group = event.target.closest("[data-own-button]");
  if (event.key !== "Enter" || event.isComposing || !group || event.target.matches("button")) return;
  event.preventDefault();
  group.querySelector("button").click();
});

// A link or button with a key of its own. Never while somebody types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, dialog")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});

// What the desk kept in this browser goes with whoever signs out.
for (const form of document.querySelectorAll("[data-sign-out]")) {
  form.addEventListener("submit", () => {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith("spotcheck:")) localStorage.removeItem(name);
    }
  });
}
