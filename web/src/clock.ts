// The time of the animation, advanced by frames of the screen.

export class Clock {
  playing = false;
  loop = true;
  speed = 1;
  time: number;
  private last = 0;

  constructor(readonly start: number, readonly end: number, private readonly changed: () => void) {
    this.time = start;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = 0;
    requestAnimationFrame((now) => this.tick(now));
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // A hidden tab has no frames: it continues where it stopped.
    const elapsed = this.last > 0 ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    const time = this.time + elapsed * this.speed;
    if (time < this.end) this.time = time;
    else if (this.loop) this.time = this.start + ((time - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.playing = false;
    }
    this.changed();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}
