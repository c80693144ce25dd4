import type { Delivery, Fields, InputValue, PanelAnswer, PanelPost } from './protocol.ts'
import { actor, Refused, type Slack } from './slack.ts'
import { checkMessage } from './strict/message.ts'

/** Something of whoever starts the playground beside the conversation, made of Block Kit. */
export interface HostPanel {
  /** On the button that opens it, and over it. */
  name: string
  /** What it shows somebody now: asked every two seconds while it is open. `asked` is what they asked of the app, oldest first. */
  blocks(user: string, asked: readonly Delivery[]): readonly Fields[] | Promise<readonly Fields[]>
  /**
   * Does what an element of its blocks stands for; `value` is what was chosen. Of the answer, `text` is said over the
   * blocks, and `type` put into the field of the conversation.
   */
  press?(actionId: string, value?: InputValue): PressAnswer | Promise<PressAnswer>
  /** The channel beside which it stands for whoever comes for the first time, where there is room. */
  firstAt?: string
}

export interface PressAnswer {
  text?: string
  type?: string
}

/** Presses an element of a panel, when one is named, and shows what then stands in it. */
export async function askPanel(slack: Slack, post: PanelPost): Promise<PanelAnswer> {
  const { name, actionId, value } = post
  const { id } = actor(slack, post.user)
  const panel = slack.panels.find((one) => one.name === name)
  if (!panel) throw new Refused('panel_not_found', `There is no panel "${name}" here.`)
  const asked = () =>
    slack.journal.list().filter(({ direction, user }) => direction === 'to-app' && user === id)
  try {
    const said = actionId === undefined ? {} : await panel.press?.(actionId, value)
    const given = await panel.blocks(id, asked())
    // The same ids each time: what has the focus keeps it.
    const blocks = given.map((one, index) => ({ block_id: `panel-${index}`, ...one }))
    const checked = checkMessage({ blocks, text: name }, { levels: slack.levels })
    if ('error' in checked) throw new Error([checked.error, ...checked.notes].join('\n'))
    return { ok: true, blocks: checked.blocks, ...said }
  } catch (error) {
    throw new Refused(
      'panel_failed',
      `The panel ${name} failed: ${error instanceof Error ? error.message : error}`,
    )
  }
}
