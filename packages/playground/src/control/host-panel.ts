import type { InputValue } from '../protocol/answers.ts'
import type { Fields } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
/** A Block Kit panel next to the conversation, provided by the host: the program that starts the playground. */
export interface HostPanel {
  /** Shown on the button that opens the panel, and as its title. */
  name: string
  /**
   * Returns the panel's content for a person. Called every two seconds while the panel is open. `requests` are this person's requests to
   * the app, oldest first.
   */
  blocks(user: string, requests: readonly Delivery[]): readonly Fields[] | Promise<readonly Fields[]>
  /**
   * Handles a click on an element. `value` is what the person chose or entered. The page shows the result's `statusText` above the
   * blocks, and puts its `draft` into the message field.
   */
  press?(actionId: string, value?: InputValue): PressAnswer | Promise<PressAnswer>
  /** On a person's first visit, the panel opens next to this channel, if there is room. */
  firstVisitChannel?: string
}

export interface PressAnswer {
  statusText?: string
  draft?: string
}
