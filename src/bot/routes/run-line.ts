import type { Message } from '@signalman/slack'
import type { CommandContext } from './command-context.ts'
import { askIfNamed } from './exact-name.ts'
import type { ResolvedLine } from './lines.ts'
import { nameMentions } from './name-mentions.ts'
import type { Modal } from './routes.ts'

/** Runs a line that was read, for a person who was authorized. Throws Question if its words are also the name of a health check. */
export async function runLine(context: CommandContext, resolved: ResolvedLine): Promise<Message | Modal> {
  const { verb, args, isAct } = resolved
  if (isAct) await askIfNamed(context, resolved)
  return verb.run(context, args.prose ? await nameMentions(context, args.prose, args) : args)
}
