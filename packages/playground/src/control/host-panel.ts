import type { InputValue } from '../protocol/answers.ts'
import type { Fields } from '../protocol/json.ts'
/** A Block Kit panel next to the conversation, provided by the host: the program that starts the playground. */
export interface HostPanel {
  /** Shown on the button that opens the panel, and as its title. */
  name: string
  /** Returns the panel's content for a person. Called every two seconds while the panel is open. */
  blocks(user: string): readonly Fields[] | Promise<readonly Fields[]>
  /** Handles a click on an element. */
  press?(actionId: string, press: PanelPress): PressAnswer | Promise<PressAnswer>
  /** On a person's first visit, the panel opens together with this channel. */
  firstVisitChannel?: string
}

export interface PanelPress {
  /** The person who clicked. */
  user: string
  /** What the person chose or entered. */
  value?: InputValue | undefined
}

/** What the page does after a click. */
export interface PressAnswer {
  /** Shown at the top of the panel. */
  statusText?: string
  /** The channel to open. */
  channel?: string
  /** Put into the message field. */
  draft?: string
}
