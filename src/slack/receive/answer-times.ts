/**
 * What is done by when, in milliseconds after a request came in. Slack waits 3 s for its answer, and a trigger dies after
 * 3 s (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026); both include the time on the network.
 */
export interface AnswerTimes {
  /** An act is written down, or refused. */
  takesMs: number
  /** Slack has its answer, with words or without. */
  answersMs: number
  /** A window whose contents are ready by then opens whole; otherwise a placeholder holds the trigger. */
  opensWholeMs: number
  /** Whoever still waits is told so. */
  signMs: number
}

export const ANSWER_TIMES: AnswerTimes = { takesMs: 2200, answersMs: 2600, opensWholeMs: 500, signMs: 2000 }
