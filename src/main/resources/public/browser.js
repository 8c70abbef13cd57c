// What every part of the page needs of the browser: its elements, its memory, random tokens.

export const PAUSE_MS = { least: 400, most: 8_000 };

export const $ = (id) => document.getElementById(id);
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Survives a reload. */
export const kept = {
  read(name, otherwise) {
    return JSON.parse(localStorage.getItem(`holdfast.${name}`) ?? "null") ?? otherwise;
  },
  write(name, value) {
    localStorage.setItem(`holdfast.${name}`, JSON.stringify(value));
  },
};

export function token() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const option = (value, text) =>
  Object.assign(document.createElement("option"), { value, text });
