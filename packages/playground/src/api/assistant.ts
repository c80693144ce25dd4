import type { Caller } from '../installs.ts'
import { fieldsOf, opened, stringOf } from '../json.ts'
import type { Stored } from '../messages.ts'
import type { Slack } from '../slack.ts'
import { destination } from './chat.ts'
import { ApiRefusal, type Args, type Method, optional, required, wrong } from './reply.ts'

/** Threads of an assistant: https://docs.slack.dev/reference/methods/assistant.threads.setStatus (November 2026). */
const PROMPTS_AT_MOST = 4

/** The first message of the thread. */
function threadOf(slack: Slack, args: Args, caller: Caller, ts: string): Stored {
  const channel = destination(slack, { channel: args.channel_id ?? null }, caller)
  const found = slack.messages.find(channel.id, ts)
  if (!found || found.ephemeral) throw new ApiRefusal('invalid_thread_ts')
  return found
}

const setStatus: Method = (slack, args, caller) => {
  const message = threadOf(slack, args, caller, required(args, 'thread_ts'))
  if (typeof args.status !== 'string') throw wrong('missing required field: status')
  slack.messages.setAssistant(message, { status: args.status })
  return {}
}

const setTitle: Method = (slack, args, caller) => {
  const message = threadOf(slack, args, caller, required(args, 'thread_ts'))
  slack.messages.setAssistant(message, { title: required(args, 'title') })
  return {}
}

const setPrompts: Method = (slack, args, caller) => {
  const ts = optional(args, 'thread_ts')
  const message = ts === undefined ? undefined : threadOf(slack, args, caller, ts)
  const given = fieldsOf(opened(args.prompts))
  const prompts = given.map((one) => ({
    title: stringOf(one.title) ?? '',
    message: stringOf(one.message) ?? '',
  }))
  if (prompts.length === 0 || prompts.some((one) => one.title === '' || one.message === ''))
    throw wrong('`prompts` is a list of {title, message}.')
  if (prompts.length > PROMPTS_AT_MOST)
    throw new ApiRefusal('invalid_arguments', [`\`prompts\` has at most ${PROMPTS_AT_MOST}.`])
  if (message) slack.messages.setAssistant(message, { prompts, heading: optional(args, 'title') ?? '' })
  return {}
}

export const assistantMethods: Record<string, Method> = {
  'assistant.threads.setStatus': setStatus,
  'assistant.threads.setTitle': setTitle,
  'assistant.threads.setSuggestedPrompts': setPrompts,
}
