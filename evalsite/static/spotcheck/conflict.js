// Two versions of the same form: show the parts that differ, each with a choice.

// `parts` have a `label`, their `words` in a version, and how to `take` them into one from another.
// The promise resolves with the version that was put together, or with `theirs` if that was chosen.
export const chooseParts = (parts, mine, theirs) =>
  new Promise((done) => {
    const dialog = document.querySelector("#conflict");
    const different = parts.filter((part) => part.words(mine) !== part.words(theirs));
    const rows = different.map((part, number) => {
      const row = document.createElement("tr");
      // What is empty here is proposed as it is stored.
      const proposed = part.words(mine) === "–" ? "theirs" : "mine";
      row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: part.label }));
      for (const [value, said] of [["mine", mine], ["theirs", theirs]]) {
        const cell = document.createElement("td");
        const label = document.createElement("label");
        const field = Object.assign(document.createElement("input"), { type: "radio", name: `keep-${number}`, value, checked: value === proposed });
        label.append(field, " ", part.words(said));
        cell.append(label);
        row.append(cell);
      }
      return row;
    });
    dialog.querySelector("[data-versions]").replaceChildren(...rows);
    for (const button of dialog.querySelectorAll("[data-keep]")) {
      button.onclick = () => {
        const chosen = structuredClone(mine);
        different.forEach((part, number) => {
          const own = rows[number].querySelector(":checked").value;
          const which = button.dataset.keep === "chosen" ? own : button.dataset.keep;
          part.take(chosen, which === "theirs" ? theirs : mine);
        });
        dialog.close();
        done(button.dataset.keep === "theirs" ? theirs : chosen);
      };
    }
    dialog.oncancel = (event) => event.preventDefault();
    dialog.showModal();
  });
