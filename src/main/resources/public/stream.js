// The event streams of pools and tickets. A hidden page does not listen: a browser has few
// connections to one host, and its tabs share them.

import { me } from "./api.js";
import { PAUSE_MS, wait } from "./browser.js";
import { showLink } from "./notices.js";

const SILENCE_MS = 45_000; // the server sends at least a comment every 15 s

/**
 * Listens as long as the page is open. The listener has `onEvent(name, news)`, `onCaughtUp()` for
 * the first event after a break, and `onLink(isLive)`.
 */
export const follow = (pool, listener) =>
  followPath(pool.name, `/v1/pools/${pool.name}/stream`, listener, new AbortController().signal);

/** Listens until the signal is aborted. `name` is that of the link; `onGone()` is told of a 404. */
export async function followPath(name, path, listener, signal) {
  const stream = new Stream(name, path, listener, signal);
  showLink(name, false, "Connecting…");
  for (let pause = PAUSE_MS.least; ; ) {
    await untilVisible();
    const ended = await stream.listen().catch(() => ({ retryMs: 0 }));
    if (signal.aborted) {
      return;
    }
    pause = stream.isBehind ? Math.min(2 * pause, PAUSE_MS.most) : PAUSE_MS.least;
    stream.isBehind = true;
    stream.showLink(false, "Connection lost. Catching up…");
    await wait(Math.max(ended.retryMs, pause * (0.5 + Math.random() / 2)));
  }
}

function untilVisible() {
  return new Promise((done) => {
    const look = () => {
      if (!document.hidden) {
        document.removeEventListener("visibilitychange", look);
        done();
      }
    };
    document.addEventListener("visibilitychange", look);
    look();
  });
}

class Stream {
  isBehind = true;
  #lastId = "";
  #name;
  #path;
  #listener;
  #signal;

  constructor(name, path, listener, signal) {
    this.#name = name;
    this.#path = path;
    this.#listener = listener;
    this.#signal = signal;
  }

  showLink(isLive, text) {
    showLink(this.#name, isLive, text);
    this.#listener.onLink(isLive);
  }

  /** Returns when the stream has ended, with the time that the server asks to wait. */
  async listen() {
    const broken = new AbortController();
    const onHidden = () => document.hidden && broken.abort();
    document.addEventListener("visibilitychange", onHidden);
    let watch;
    const keepWatch = () => {
      clearTimeout(watch);
      watch = setTimeout(() => broken.abort(), SILENCE_MS);
    };
    keepWatch();
    try {
      const answer = await this.#open(AbortSignal.any([broken.signal, this.#signal]));
      if (answer.status === 404) {
        this.#listener.onGone?.();
      }
      if (!answer.ok) {
        return { retryMs: 1_000 * (answer.headers.get("Retry-After") ?? 2) };
      }
      let text = "";
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        keepWatch();
        const frames = (text + part).split("\n\n");
        text = frames.pop();
        this.#take(frames);
      }
      return { retryMs: 0 };
    } finally {
      clearTimeout(watch);
      document.removeEventListener("visibilitychange", onHidden);
    }
  }

  #open(signal) {
    return fetch(this.#path, {
      headers: {
        Authorization: `Bearer ${me.key}`,
        Accept: "text/event-stream",
        ...(this.#lastId ? { "Last-Event-ID": this.#lastId } : {}),
      },
      signal,
    });
  }

  #take(frames) {
    if (frames.length > 0 && this.isBehind) {
      this.isBehind = false;
      this.showLink(true, "Live"); // before the events: one of them may report an outage
      this.#listener.onCaughtUp();
    }
    frames.forEach((frame) => this.#signal.aborted || this.#read(frame));
  }

  #read(frame) {
    const lines = frame.split("\n").filter((line) => line && !line.startsWith(":"));
    const { event, id, data } = Object.fromEntries(
      lines.map((line) => line.split(/: (.*)/s).slice(0, 2)),
    );
    if (!data) {
      return;
    }
    const news = JSON.parse(data);
    if (event === "status") {
      this.showLink(news.live, news.live ? "Live" : `Catching up: ${news.why}`);
    } else {
      this.#listener.onEvent(event, news);
      this.#lastId = id ?? "";
    }
  }
}
