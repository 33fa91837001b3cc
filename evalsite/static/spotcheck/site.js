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
