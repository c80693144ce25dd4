import type { JSONObject, Tool } from '@modelcontextprotocol/server'
import { type FlagSpec, flagType, INTERNAL_FLAGS, isRepeatable } from '../../bot/grammar/flags.ts'
import { isFlagForTools, isForTools } from '../../bot/pipeline/tool-line.ts'
import { argumentUsage, type Verb, verbName } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { quoted } from '../../domain/quoting.ts'

/** The command line that a call runs, and the arguments that the app's buttons send. */
export interface CalledLine {
  line: string
  /** Only from a button: the ID of the stored proof that the app showed this button to this person. */
  offer?: string
}

export type ToolBox = ReturnType<typeof createToolBox>

/** The tool that the buttons of Signalman's cards call. Their action IDs contain its name. */
export const RUN_TOOL = 'run'

const CARD_METADATA = { slack: { supportsBlockKit: true } } as const

const buildRunTool = (): Tool => ({
  name: RUN_TOOL,
  title: 'Run a Signalman command',
  description: `Runs a whole command line such as "${cmd('/hc mute web-1 2h')}". A command that changes something is shown first, with a button that runs it.`,
  inputSchema: {
    type: 'object',
    properties: {
      line: { type: 'string', description: 'The whole command line.' },
      offer: { type: 'string', description: 'Set only by buttons.' },
    },
    required: ['line'],
  },
  // Slackbot asks the person to confirm each call of a tool that may write.
  annotations: { title: 'Run a Signalman command', readOnlyHint: false, destructiveHint: true },
  _meta: CARD_METADATA,
})

/** Creates a tool for each verb that reads and opens no form, from its declared flags. */
export function createToolBox(verbs: readonly Verb[]) {
  const toolVerbs = new Map(verbs.filter(isServedAsTool).map((verb) => [toolName(verb), verb]))
  return {
    tools: [...[...toolVerbs].map(([name, verb]) => buildTool(name, verb)), buildRunTool()],
    /** Undefined for an unknown tool, or for arguments that don't match its schema. */
    buildLine(name: string, callArguments: Readonly<Record<string, unknown>>): CalledLine | undefined {
      if (name === RUN_TOOL) return readRunLine(callArguments)
      const verb = toolVerbs.get(name)
      const parts = verb && buildTypedParts(verb, callArguments)
      return parts && { line: [`/${verb.command}`, verb.verb, ...parts].filter(Boolean).join(' ') }
    },
  }
}

const isServedAsTool = (verb: Verb): boolean =>
  !verb.hidden && verb.isAct !== true && verb.opensModal !== true && isForTools(verb)

const toolName = ({ command, verb }: Verb): string =>
  [command, verb].filter(Boolean).join('_').replaceAll('-', '_')

function buildTool(name: string, verb: Verb): Tool {
  const title = cmd(verbName(verb))
  // Flags have their own parameters.
  const wordsUsage = argumentUsage(verb)
  const words = { type: 'string', description: `What to type after the command: ${wordsUsage}` }
  return {
    name,
    title,
    description: `${verb.description}.`,
    inputSchema: {
      type: 'object',
      properties: {
        ...(wordsUsage !== '' && { words }),
        ...Object.fromEntries(listOptions(verb).map(([flag, spec]) => [flag, flagSchema(spec)])),
        env: { type: 'string', enum: ['production', 'ote'] },
      },
    },
    annotations: { title, readOnlyHint: true },
    _meta: CARD_METADATA,
  }
}

const listOptions = ({ flags = {} }: Verb): [string, FlagSpec][] =>
  Object.entries(flags).filter(([flag]) => !INTERNAL_FLAGS.has(flag) && isFlagForTools(flag))

function flagSchema(spec: FlagSpec): JSONObject {
  const valueType = flagType(spec)
  const description = typeof spec === 'object' && 'help' in spec ? { description: spec.help } : {}
  if (valueType === 'switch') return { type: 'boolean', ...description }
  const valueSchema = (value: 'value' | readonly string[]): JSONObject => ({
    type: 'string',
    ...(value !== 'value' && { enum: [...value] }),
  })
  return isRepeatable(valueType)
    ? { type: 'array', items: valueSchema(valueType.listOf), ...description }
    : { ...valueSchema(valueType), ...description }
}

/** Returns the arguments as they would be typed; undefined if one doesn't match the schema. */
function buildTypedParts(
  verb: Verb,
  { words = '', ...options }: Readonly<Record<string, unknown>>,
): string[] | undefined {
  const allowedOptions = new Set(['env', ...listOptions(verb).map(([flag]) => flag)])
  const parts = Object.entries(options).map(([flag, value]) =>
    allowedOptions.has(flag) ? buildTypedOption(flag, value) : undefined,
  )
  if (typeof words !== 'string' || !parts.every((part) => part !== undefined)) return undefined
  // Flags come first: after words with an unclosed quotation mark, they would become part of the words.
  return [...parts.flat(), words].filter(Boolean)
}

function buildTypedOption(flag: string, value: unknown): string[] | undefined {
  if (value === true) return [`--${flag}`]
  if (value === false || value === null) return []
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const values = items.filter((item) => typeof item === 'string' || typeof item === 'number')
  return values.length === items.length
    ? values.map((item) => `--${flag} ${quoted(String(item))}`)
    : undefined
}

function readRunLine({ line, offer }: Readonly<Record<string, unknown>>): CalledLine | undefined {
  if (typeof line !== 'string' || (offer !== undefined && typeof offer !== 'string')) return undefined
  return { line, ...(offer !== undefined && { offer }) }
}
