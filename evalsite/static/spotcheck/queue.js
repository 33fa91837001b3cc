// Which answers wait in this browser to be sent: those that say something else than what is stored.
import { normal } from "./saving.js";

for (const mark of document.querySelectorAll("[data-kept]")) {
  const name = `spotcheck:draft:${mark.dataset.kept}`;
  const copy = JSON.parse(localStorage.getItem(name));
  if (!copy) continue;
  // What was under way when the desk was left may have arrived since.
  fetch(mark.dataset.stored, { headers: { Accept: "application/json" } })
    .then((response) => response.json())
    .then(({ draft }) => normal(draft) === normal(copy.said))
    .catch(() => false)
    .then((isStored) => {
      mark.hidden = isStored;
      if (isStored) localStorage.removeItem(name);
    });
}
