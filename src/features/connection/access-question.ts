import type { Setting, Settings } from '@signalman/durable'
import { actions, commandButton, type Message, message, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Grants } from '../../bot/workspaces/grants.ts'

export interface AccessParts {
  grants: Grants
  settings: Settings
}

const ASKED: Setting<boolean> = { key: 'access.asked', read: (stored) => stored === true }

/** Whether to ask who may change health checks: once in a workspace, and not where somebody has said so already. */
export async function firstQuestion(
  { grants, settings }: AccessParts,
  { workspaceId }: Pick<CommandContext, 'workspaceId'>,
): Promise<boolean> {
  const given = await grants.list(workspaceId)
  if (given.some(({ role }) => role === 'operator')) return false
  let isFirst = false
  await settings.change(workspaceId, ASKED, (asked) => {
    isFirst = !asked
    return true
  })
  return isFirst
}

const QUESTION =
  'Who may change health checks, their alerts and watches, and threat cases? So far only admins may; every member may look. You can change it at any time with /hc access.'

/** The message with the question behind it, where it is to be asked. */
export function withQuestion({ text, blocks }: Message, isAsked: boolean): Message {
  if (!isAsked) return { text, blocks }
  const question: KnownBlock[] = [
    section(QUESTION),
    ...actions(
      commandButton('Everyone', '/hc access-open', { inPlace: true }),
      commandButton('Choose people', '/hc access'),
    ),
  ]
  return message(`${text}\n${QUESTION}`, ...blocks, question)
}
