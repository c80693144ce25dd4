import { AccessDenied, Notice, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { canSeePersonalData } from '../access/access.ts'
import type { CommandContext } from './command-context.ts'
import type { Reading } from './read-line.ts'
import type { Modal } from './routes.ts'

const MENTION = /@[SUW][A-Z0-9]{6,}\b|#[CG][A-Z0-9]{6,}\b/g

type Naming = Pick<CommandContext, 'slack' | 'actor'>

/**
 * Runs a line that was read, for a person who was authorized. Slack sends a person, user group, or channel that was picked in a line as an
 * ID. In a text that others read, such as a note, it becomes `@handle`.
 */
export async function runLine(
  context: CommandContext,
  { verb, args }: Pick<Reading, 'verb' | 'args'>,
): Promise<Message | Modal> {
  const { prose = '', values } = args
  const text = values[prose]
  if (text === undefined) return verb.run(context, args)
  return verb.run(context, { ...args, values: { ...values, [prose]: await nameInText(context, text) } })
}

/** A text with names in place of IDs. */
export const nameInText = async (context: Naming, text: string): Promise<string> =>
  text.search(MENTION) === -1 ? text : (await readNames(context, [text]))(text)

/** An error or notice whose text and buttons have names in place of IDs. The lines of its buttons keep the IDs. */
export async function nameInError<T>(context: Naming, error: T): Promise<T | UserError | Notice> {
  if (!(error instanceof UserError || error instanceof Notice) || error instanceof AccessDenied) return error
  const { message, suggestions, cause } = error
  const texts = [message, ...suggestions.map(({ label }) => label)]
  if (texts.every((text) => text.search(MENTION) === -1)) return error
  const toNamed = await readNames(context, texts)
  const named = suggestions.map((suggestion) => ({ ...suggestion, label: toNamed(suggestion.label) }))
  const Kind = error instanceof Notice ? Notice : UserError
  return Object.assign(new Kind(toNamed(message), named), cause !== undefined && { cause })
}

/** Slack allows some hundred requests a minute, for everybody. The others stay IDs. */
const MAX_NAMED = 20

/** Reads the names of the IDs in some texts. What guests, or others than its members, may not see stays an ID. */
async function readNames({ slack: getSlack, actor }: Naming, texts: readonly string[]) {
  const ids = [...new Set(texts.flatMap((text) => text.match(MENTION) ?? []))].slice(0, MAX_NAMED)
  const slack = await getSlack()
  const readName = async (mention: string): Promise<string | undefined> => {
    const id = mention.slice(1)
    if (/^@[UW]/.test(mention)) return (await slack.readPerson(id)).handle
    if (!canSeePersonalData(actor)) return undefined
    if (mention.startsWith('#')) return (await slack.readChannel(id)).publicName
    return (await slack.groups()).find((group) => group.id === id)?.handle
  }
  const names = await Promise.all(
    ids.map(async (id) => [id, await readName(id).catch(() => undefined)] as const),
  )
  const known = new Map(names.map(([id, name]) => [id, name && `${id[0]}${name}`]))
  return (text: string): string => text.replaceAll(MENTION, (id) => known.get(id) ?? id)
}
