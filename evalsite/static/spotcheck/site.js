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

// What the desk kept in this browser goes with whoever signs out: asked for while something of it is
// not sent, and gone only when they are out. Another person's stays.
const LEAVING = "spotcheck:leaving";
const copiesOf = (user) => Object.keys(localStorage).filter((name) => name.startsWith("spotcheck:") && name.split(":")[2] === user);
const unsent = document.querySelector("#unsent");
for (const form of document.querySelectorAll("[data-sign-out]")) {
  form.addEventListener("submit", (event) => {
    const user = form.dataset.signOut;
    const names = copiesOf(user).filter((name) => !name.startsWith("spotcheck:submit:"));
    const reviews = new Set(names.map((name) => name.split(":")[3]));
    if (!reviews.size || !unsent || unsent.open) return sessionStorage.setItem(LEAVING, user);
    event.preventDefault();
    unsent.querySelector("[data-one]").hidden = reviews.size > 1;
    unsent.querySelector("[data-several]").hidden = reviews.size === 1;
    unsent.querySelector("[data-number]").textContent = reviews.size;
    const way = unsent.querySelector("[data-way]");
    way.href = reviews.size === 1 ? `${way.dataset.way}${[...reviews]}/` : way.dataset.way;
    unsent.showModal();
  });
}
unsent?.querySelector("[data-close]").addEventListener("click", () => unsent.close());
// Also when a page comes back as it was: then the signing out came to nothing.
addEventListener("pageshow", () => {
  const user = sessionStorage.getItem(LEAVING);
  sessionStorage.removeItem(LEAVING);
  if (user && document.querySelector("[data-signed-out]")) {
    for (const name of copiesOf(user)) localStorage.removeItem(name);
  }
});
