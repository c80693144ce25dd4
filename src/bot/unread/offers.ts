import { Notice, Question, UserError } from '@signalman/runtime'
import { LIMITS } from '@signalman/slack'
import { askWhichCheck, findCheckId, WhichCheck } from '../../domain/find-check.ts'
import { globMatcher, toPattern } from '../../domain/name-pattern.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import type { CommandContext } from '../routes/command-context.ts'
import { suggestLine, writeTyped } from '../routes/lines.ts'
import type { Reading } from '../routes/read-line.ts'
import { listNamesInTime } from './list-names.ts'
import { lacksCheck } from './meant-line.ts'
import { type Places, WHAT_IS_DOWN } from './place.ts'

/** Asks which health check is meant: one of the thread's card, or else what is down before the others. Throws UserError if it can't be here. */
export async function askNear(
  context: CommandContext,
  routes: Places,
  { verb, args }: Pick<Reading, 'verb' | 'args'>,
  asked: WhichCheck,
): Promise<UserError> {
  const { unlessDown } = verb
  verb.requirePlace?.(context, args)
  const { card, checks, environment } = await routes.findNearby(context)
  const isAboutDown = unlessDown !== undefined
  const near = asked.findNear(isAboutDown ? checks.filter(({ isDown }) => isDown) : checks)
  const isOnly = isAboutDown || (card !== undefined && near.length > 0)
  if (isAboutDown && near.length === 0)
    throw new Notice(
      `${asked.isOpen ? 'Nothing that Signalman watches is' : 'As of the last poll, it isn’t'} down. ${unlessDown}`,
      [WHAT_IS_DOWN],
    )
  const { message, suggestions } = asked.withNear(near, isOnly)
  const question = isAboutDown ? 'About which health check that is down?' : message
  const flag = environment === context.environment ? '' : ` --env ${environment}`
  return new UserError(
    isOnly && near.length === 1 ? 'Run this?' : question,
    suggestions.map(({ label, line }) => ({ label, line: `${line}${flag}` })),
  )
}

/** The buttons for an act: its line, if it can be carried out as far as is known here, or one for each check that may be meant. */
export async function offerLine(
  context: CommandContext,
  routes: Places,
  reading: Reading,
  line: string,
  question = 'Did you mean this?',
): Promise<UserError> {
  const { verb, args } = reading
  const { flags, values } = args
  const { check, uuid } = values
  verb.requirePlace?.(context, args)
  const takesAll = verb.parameters?.some(({ name }) => name === 'all')
  const { card, checks } = await routes.findNearby(context)
  if (lacksCheck(reading, card !== undefined && checks.length > 0))
    return askNear(context, routes, reading, askWhichCheck(args, takesAll))
  try {
    if (check !== undefined) await findCheckId(context, args, { reads: !verb.mayChange })
    if (typeof flags.name === 'string') await requireNamed(context, flags.name)
  } catch (error) {
    if (error instanceof WhichCheck) return askNear(context, routes, reading, error)
    if (error instanceof NothingFound) throw error
    // Else the service doesn't say.
  }
  if (verb.unlessDown !== undefined && uuid === undefined)
    return askNear(context, routes, reading, new WhichCheck('', { ...args, typed: check }))
  return new UserError(question, [suggestLine(line)])
}

async function requireNamed(context: CommandContext, text: string): Promise<void> {
  const { checks } = (await listNamesInTime(context)) ?? {}
  const isNamed = globMatcher(toPattern(text))
  if (checks && !checks.some(({ name }) => isNamed(name)))
    throw new NothingFound(`No health check has “${text}” in its name.`, [])
}

/** Offers what a mention would do: a sentence may quote the line, document it, or say not to type it. Throws Question. */
export async function offerTyped(context: CommandContext, routes: Places, resolved: Reading): Promise<never> {
  const line = writeTyped(resolved)
  const { message, suggestions } = await offerLine(context, routes, resolved, line, 'Run this?')
  const offered = suggestions.filter(({ line }) => line.length <= MAX_LINE)
  if (offered.length === 0) throw new UserError(TYPE_IT)
  throw new Question(`${message} A message by itself never changes anything.`, offered)
}

/** A button gets its environment, too. */
export const MAX_LINE = LIMITS.buttonValue - ' --env production'.length

export const TYPE_IT = 'This line changes something. Type it as a command.'
