// Count the seconds in which the page is visible and used: a key, the mouse, a finger or the wheel
// within the last half minute.

const IDLE = 30000;
const USES = ["keydown", "pointerdown", "pointermove", "touchmove", "wheel"];

export class Activity {
  constructor(seconds) {
    this.seconds = seconds;
    const use = () => (this.usedAt = Date.now());
    use();
    for (const kind of USES) addEventListener(kind, use, { capture: true, passive: true });
    setInterval(() => this.tick(), 1000);
  }

  tick() {
    if (!document.hidden && Date.now() - this.usedAt < IDLE) this.seconds += 1;
  }
}
