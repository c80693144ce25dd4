import { Question, UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { flagSpecs, formatUsage, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { quoted } from '../../../domain/quoting.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import type { JobDeps } from '../jobs/start-job.ts'
import { askIfAmbiguous, formatFlags, SERVICE_FILTERS } from '../parse.ts'
import { ADDRESS_ANSWERS } from '../rules/server-address.ts'
import { textCard } from '../views/job.ts'
import { bulkForm } from './forms.ts'
import {
  BULK_ACTIONS,
  type BulkAction,
  type BulkRequest,
  bulkFlags,
  FILTER_FIELDS,
  parseBulk,
} from './parse.ts'
import { findAddressesByPrefix, type PlanDeps, planBulk } from './plan-bulk.ts'
import { answerAddresses, applyBulk, previewBulk, sendPlan } from './preview.ts'
import { recipientChecksView } from './views.ts'

/** The commands that change many health checks at once. All of them show a preview first. */
export const bulkCommands = (deps: PlanDeps & JobDeps): VerbDeclaration[] => [
  {
    usage: `/hc bulk [name*] ${formatUsage(SERVICE_FILTERS, 'name')}`,
    description: 'Change, copy, or delete many health checks, or change their recipients, in a window',
    needs: 'operator',
    opensModal: true,
    flags: bulkFlags(...BULK_ACTIONS),
    synonyms: { many: 'bulk', mass: 'bulk' },
    async run(context, args) {
      // Throws if no token is stored.
      await context.api()
      const { action, rest } = splitAction(args)
      return bulkForm.open(context.environment, parseBulk(action ?? BULK_ACTIONS[0], rest))
    },
  },

  {
    usage: '/hc clone NAME* [--suffix TEXT] [--set-customer N] [--status S] …',
    description: 'Copy health checks with their alerts, after a preview',
    needs: 'operator',
    flags: bulkFlags('clone'),
    synonyms: { copy: 'clone', duplicate: 'clone' },
    example: 'clone web-* --suffix " (staging)"',
    async run(context, args) {
      askIfAmbiguous('clone', args)
      return previewBulk(deps, context, parseBulk('clone', args))
    },
  },

  {
    usage: '/hc bulk-apply VERB … --seen DIGEST',
    description: 'Apply a bulk change after its preview',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { ...bulkFlags(...BULK_ACTIONS), seen: 'value' },
    run(context, args) {
      const { seen } = args.flags
      if (typeof seen !== 'string') throw BUTTON_TOO_OLD
      return applyBulk(deps, context, parseRequest(args), seen)
    },
  },

  {
    usage: '/hc bulk-file VERB …',
    description: 'Send the whole preview as a file',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: bulkFlags(...BULK_ACTIONS),
    run: (context, args) => sendPlan(deps, context, parseRequest(args)),
  },

  {
    usage: '/hc bulk-address VERB … --answer A --seen DIGEST',
    description: 'Answer what to save as unknown server addresses, and preview the change again',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { ...bulkFlags(...BULK_ACTIONS), answer: ADDRESS_ANSWERS, seen: 'value' },
    run(context, args) {
      const { answer: typed, seen } = args.flags
      const answer = ADDRESS_ANSWERS.find((each) => each === typed)
      if (!answer || typeof seen !== 'string') throw BUTTON_TOO_OLD
      return answerAddresses(deps, context, parseRequest(args), { answer, seen })
    },
  },

  {
    usage: '/hc bulk-cancel',
    description: 'Discard a preview',
    needs: 'viewer',
    hidden: true,
    run: async () => textCard(['Canceled.']),
  },

  recipientsCommand(deps),
]

const BUTTON_TOO_OLD = new ButtonTooOld({ next: 'Type the command again.' })

/** Parses the request in a preview's button. Throws ButtonTooOld if the button doesn't name an action. */
function parseRequest(args: Arguments): BulkRequest {
  const { action, rest } = splitAction(args)
  if (!action) throw BUTTON_TOO_OLD
  return parseBulk(action, rest)
}

/** Splits off the first word if it is an action. The other words are a name. */
function splitAction({ words, flags }: Arguments): { action: BulkAction | undefined; rest: Arguments } {
  const [first, ...rest] = words
  const action = BULK_ACTIONS.find((name) => name === first)
  return { action, rest: { words: action ? rest : words, flags } }
}

/** `/hc recipients`: shows every check that emails an address, and replaces, removes, or adds it on all of them. */
const recipientsCommand = (deps: PlanDeps): VerbDeclaration => ({
  usage:
    '/hc recipients ADDRESS [--replace-with ADDRESS|--remove|--add] [--name NAME*] [--customer N] [--status S] … [--page N]',
  description:
    'Show every health check that emails an address; replace, remove, or add the address after a preview',
  needs: 'operator',
  flags: {
    ...flagSpecs(FILTER_FIELDS),
    ...flagSpecs(PAGE_FIELDS),
    name: { type: 'value', help: 'Only health checks with this name; * matches anything' },
    'replace-with': { type: 'value', help: 'The address to email instead' },
    remove: { type: 'switch', help: 'Stop emailing the address' },
    add: { type: 'switch', help: 'Also email the address' },
  },
  example: 'recipients ann@example.com --replace-with bob@example.com',
  async run(context, args) {
    const { flags } = args
    const address = await findAddress(context, args)
    const typedReplacement = flags['replace-with']
    const replacement = typeof typedReplacement === 'string' ? parseReplacement(typedReplacement) : undefined
    const removesAddress = flags.remove === true || replacement !== undefined
    const { name = '*' } = flags
    const filter = { names: [String(name)], ...readFields(FILTER_FIELDS, flags) }
    if (flags.add === true) {
      if (removesAddress)
        throw new UserError('You can’t combine --add with --replace-with or --remove. Use one of them.')
      return previewBulk(deps, context, { action: 'recipients', filter, changes: { add: [address] } })
    }
    const request: BulkRequest = {
      action: 'recipients',
      filter,
      changes: {
        ...(replacement !== undefined && { add: [replacement] }),
        remove: [address],
        onlyWhere: address,
      },
    }
    if (removesAddress) return previewBulk(deps, context, request)
    // The plan for removing the address also lists every check that emails it.
    const plan = await planBulk(deps, context, request)
    const { page = 1 } = readFields(PAGE_FIELDS, flags)
    const { environment, now } = context
    return recipientChecksView(address, request, plan, { page, environment, now })
  },
})

/**
 * Returns the typed email address. For anything else, searches the recipients for an address that begins with it. Throws UserError
 * if there is none, and Question if there are several.
 */
async function findAddress(context: Pick<CommandContext, 'api'>, args: Arguments): Promise<string> {
  const typed = args.words.join(' ').replace(/^@/, '')
  if (!/^[\p{L}\p{N}._+-]+$/u.test(typed)) return parseAddress(typed)
  const found = await findAddressesByPrefix(await context.api(), typed)
  const [only] = found
  if (only === undefined)
    throw new UserError(
      `No health check emails an address that begins with “${clip(typed, 60)}”. ${WHICH_ADDRESS}`,
    )
  if (found.length === 1) return only
  throw new Question(
    `Several addresses begin with “${clip(typed, 60)}”. Which one?`,
    found.map((address) => ({
      label: address,
      line: ['/hc recipients', quoted(address), ...formatFlags(args.flags)].join(' '),
    })),
  )
}

const WHICH_ADDRESS = 'Which address? Type one email address after the command, e.g. name@example.com.'

/** Parses a single address. Throws UserError for anything else. */
function parseAddress(typed: string, problem = WHICH_ADDRESS): string {
  const { addresses, bad } = parseRecipients(typed)
  const [only, ...others] = addresses
  if (only === undefined || others.length + bad.length > 0) throw new UserError(problem)
  return only
}

const parseReplacement = (typed: string): string =>
  parseAddress(
    typed,
    `“${clip(oneLine(typed), 60)}” after --replace-with isn’t a single email address. Type one, e.g. name@example.com.`,
  )
