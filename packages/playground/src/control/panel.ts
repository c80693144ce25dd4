import type { PanelAnswer } from '../protocol/answers.ts'
import type { PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'
import { checkMessage } from '../validation/message.ts'
import type { HostPanel } from './host-panel.ts'

/** Returns a panel's content. If `actionId` is set, first handles a click on that element. */
export async function readPanel(
  world: World,
  panels: readonly HostPanel[],
  post: PostBody<'panel'>,
): Promise<PanelAnswer> {
  const { name, actionId, value } = post
  const { id } = findActor(world, post.user)
  const panel = panels.find((candidate) => candidate.name === name)
  if (!panel) throw new ActionError('panel_not_found', `There is no panel "${name}" here.`)
  try {
    const pressAnswer = actionId === undefined ? {} : await panel.press?.(actionId, { user: id, value })
    const content = await panel.blocks(id)
    // Blocks keep the same IDs between refreshes, so that the focused element doesn't lose the focus.
    const blocks = content.map((block, index) => ({ block_id: `panel-${index}`, ...block }))
    const checked = checkMessage({ blocks, text: name })
    if ('error' in checked) throw new Error([checked.error, ...checked.notes].join('\n'))
    return { ok: true, blocks: checked.blocks, ...pressAnswer }
  } catch (error) {
    throw new ActionError(
      'panel_failed',
      `The panel ${name} failed: ${error instanceof Error ? error.message : error}`,
    )
  }
}
