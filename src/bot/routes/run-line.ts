import type { Message } from '@signalman/slack'
import type { CommandContext } from './command-context.ts'
import type { ResolvedLine } from './lines.ts'
import { nameMentions } from './name-mentions.ts'
import type { Modal } from './routes.ts'

/** Runs a line that was read, for a person who was authorized. */
export async function runLine(
  context: CommandContext,
  { verb, args }: Pick<ResolvedLine, 'verb' | 'args'>,
): Promise<Message | Modal> {
  return verb.run(context, args.prose ? await nameMentions(context, args.prose, args) : args)
}
