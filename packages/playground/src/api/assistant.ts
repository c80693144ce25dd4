import type { Caller } from '../installs.ts'
import { fieldsOf, isFields, opened, stringOf } from '../json.ts'
import type { Slack } from '../slack.ts'
import { destination } from './chat.ts'
import { ApiRefusal, type Args, type Method, optional, required } from './reply.ts'

/** Threads of an assistant: https://docs.slack.dev/reference/methods/assistant.threads.setStatus (November 2026). */
const PROMPTS_AT_MOST = 4

/** The thread that is meant; its parent must be there. */
function checkThread(slack: Slack, args: Args, caller: Caller): void {
  const channel = destination(slack, { channel: args.channel_id ?? null }, caller)
  if (!slack.messages.find(channel.id, required(args, 'thread_ts'))) throw new ApiRefusal('invalid_thread_ts')
}

/** Kept nowhere: it shows in the journal, with whatever is wrong with it. */
const setStatus: Method = (slack, args, caller) => {
  checkThread(slack, args, caller)
  if (typeof args.status !== 'string')
    throw new ApiRefusal('invalid_arguments', ['missing required field: status'])
  return {}
}

const setTitle: Method = (slack, args, caller) => {
  checkThread(slack, args, caller)
  required(args, 'title')
  return {}
}

const setPrompts: Method = (slack, args, caller) => {
  if (optional(args, 'thread_ts') !== undefined) checkThread(slack, args, caller)
  const prompts = fieldsOf(opened(args.prompts))
  const isWhole = prompts.every((one) => isFields(one) && stringOf(one.title) && stringOf(one.message))
  if (prompts.length === 0 || !isWhole)
    throw new ApiRefusal('invalid_arguments', ['`prompts` is a list of {title, message}.'])
  if (prompts.length > PROMPTS_AT_MOST)
    throw new ApiRefusal('too_many_prompts', [`At most ${PROMPTS_AT_MOST} prompts.`])
  return {}
}

export const assistantMethods: Record<string, Method> = {
  'assistant.threads.setStatus': setStatus,
  'assistant.threads.setTitle': setTitle,
  'assistant.threads.setSuggestedPrompts': setPrompts,
}
