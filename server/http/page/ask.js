// Questions to the server, by POST so that it sees which page asks; the token, if it wants one.

import { say } from "./words.js";

const TOKEN = "blog-search-mcp-token";

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

export async function ask(question, given, signal) {
  const headers = { "Content-Type": "application/json" };
  if (token()) headers.Authorization = `Bearer ${token()}`;
  const body = JSON.stringify(given);
  let answer;
  try {
    answer = await fetch(`/api/${question}`, { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(say("unreachable"), 0);
  }
  const facts = await answer.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Refused(say("unreadable"), answer.status);
  });
  if (!answer.ok) throw new Refused(facts.error ?? say("unreadable"), answer.status);
  return facts;
}

export const token = () => sessionStorage.getItem(TOKEN);

// A header carries ASCII alone, and no token has anything else.
export const keepToken = (given) => sessionStorage.setItem(TOKEN, given.trim().replace(/[^!-~]/g, "?"));
