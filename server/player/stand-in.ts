import type { BuildState } from "../web/public.ts";

/**
 * The content of /embed.js while there is no player: a message, and a retry where that can help [player.build]. Pure.
 */

const mostTries = 120;

/**
 * Adds the script again with all attributes from the page, so that a policy that allowed the first allows the second
 * [player.policies].
 */
const again = `(() => {
  const old = document.currentScript;
  if (!old) return;
  const tries = Number(old.getAttribute("data-quizstore-tries") || 0) + 1;
  if (tries > ${mostTries}) return console.error("Quiz Store: the player is still not built; load the page again later");
  if (tries === 1) console.info("Quiz Store: the player is being built; asking again until it is there");
  setTimeout(() => {
    const next = document.createElement("script");
    for (const { name, value } of old.attributes) next.setAttribute(name, value);
    next.nonce = old.nonce;
    next.setAttribute("data-quizstore-tries", String(tries));
    old.replaceWith(next);
  }, 500);
})();
`;

const sentence = "This quiz cannot be shown at the moment. Please try again later.";

const sorry = `(() => {
  console.error("Quiz Store: the player is not built; the server's log, and quizstore doctor, say why");
  const tell = () => {
    for (const quiz of document.querySelectorAll("quiz-store")) quiz.textContent = ${JSON.stringify(sentence)};
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", tell);
  else tell();
})();
`;

export const standIn = (state: BuildState): string => (state === "building" ? again : sorry);
