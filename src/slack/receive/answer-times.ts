/**
 * What is done by when, in milliseconds after a request came in. Slack waits 3 s for its answer, and a trigger dies after
 * 3 s (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026); both include the time on the network.
 */
export interface AnswerTimes {
  /** Until then an act is written down or refused. */
  takesMs: number
  /** Until then Slack has its answer, with or without words. */
  answersMs: number
  /** A window whose content is ready by then opens with it; otherwise a placeholder uses the trigger. */
  opensWholeMs: number
  /** Then a person who still waits is told that the app is still asking. */
  signMs: number
}

export const ANSWER_TIMES: AnswerTimes = { takesMs: 2200, answersMs: 2600, opensWholeMs: 500, signMs: 2000 }
