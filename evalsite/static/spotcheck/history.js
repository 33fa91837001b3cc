// Undo on the desk. An act is what changed between two states of the form: an answer, a score,
// a pin, or one stretch of writing in a text field.

const IS_CONTENT = /^((score|answer|why|note|evidence|coherence|step|side):|(comment|flags|reason|newer)$)/;
const isText = (field) => field?.matches?.("textarea, input:not([type])");

export class History {
  constructor(form) {
    this.form = form;
    this.reset();
  }

  // Forget all acts: what the form holds now is where undo ends.
  reset() {
    this.acts = [];
    this.writing = null;
    this.state = this.read();
  }

  get isEmpty() {
    return !this.acts.length;
  }

  // The value of a field when the last act was over.
  before(name) {
    return this.state.get(name);
  }

  // Note what changed. Further letters in the same field belong to the same act.
  note(field) {
    const state = this.read();
    const changed = [...this.state].filter(([name, value]) => state.get(name) !== value);
    this.state = state;
    if (!changed.length) return;
    const writing = isText(field) ? field : null;
    if (!writing || writing !== this.writing) this.acts.push(changed);
    this.writing = writing;
  }

  // The person left the text field: writing there again is another act.
  pause() {
    this.writing = null;
  }

  // Take back the last act. Returns a field that changed, or null if there was nothing to undo.
  undo() {
    this.pause();
    let found = null;
    // An act whose text was taken back letter by letter changes nothing.
    while (!found && this.acts.length) {
      for (const [name, value] of this.acts.pop()) {
        if (this.state.get(name) !== value) found = this.write(name, value) ?? found;
      }
      this.state = this.read();
    }
    return found;
  }

  fields() {
    return [...this.form.elements].filter(({ name }) => IS_CONTENT.test(name));
  }

  nameOf(field) {
    return field.type === "checkbox" ? `${field.name}=${field.value}` : field.name;
  }

  read() {
    const state = new Map();
    for (const field of this.fields()) {
      const name = this.nameOf(field);
      if (field.type === "checkbox") state.set(name, field.checked);
      else if (field.type !== "radio") state.set(name, field.value);
      else if (field.checked || !state.has(name)) state.set(name, field.checked ? field.value : null);
    }
    return state;
  }

  write(name, value) {
    const own = this.fields().filter((field) => this.nameOf(field) === name);
    for (const field of own) {
      if (field.type === "checkbox") field.checked = value;
      else if (field.type === "radio") field.checked = field.value === value;
      else field.value = value;
    }
    return own[0];
  }
}
