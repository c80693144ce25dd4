import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'

import { createManifest, creationLink } from '../bot/install/manifest.ts'
import { readSecretFiles } from '../config/secret-files.ts'
import { pickSetVariables, SQLITE_URL, Variables } from '../config/variables.ts'
import { ConfigError, readConfig } from '../config.ts'
import { examineDatabase } from '../doctor/database.ts'
import { type DoctorFinding, describeError } from '../doctor/finding.ts'
import { secretFinding } from '../doctor/reachability.ts'
import { ADDRESS_PART, examineAddress, examineService } from '../doctor/service.ts'
import { examineClient, examineSocketMode, examineToken } from '../doctor/slack.ts'
import { cmd, setCommandPrefix } from '../domain/command-names.ts'
import { ENV_FILE, fitsEnvFile, writeEnvFile } from './env-file.ts'
import { readPrefix } from './manifest.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { openQuestions, type Questions } from './questions.ts'
import { serve } from './serve.ts'

const HELP = `
Asks three questions (Socket Mode or HTTP, one workspace or many, SQLite or PostgreSQL), prints a link that creates the Slack
app with everything filled in, asks for each value and tests it like signalman doctor, writes them to .env in this folder,
readable only by you, and runs the app. It doesn't ask for what the environment has. Nothing is written until every question is
answered. It never replaces a .env: edit that one, or move it away.

Every verb reads .env in the folder it runs in. Variables in the environment take precedence.

Read from the environment: SLACK_API_URL, and what serve reads.
`

type Environment = Readonly<Record<string, string | undefined>>
type Values = Record<string, string>
type VariableName = keyof typeof Variables.shape

interface Setup {
  transport: 'socket' | 'http'
  tenants: 'one' | 'many'
  store: 'sqlite' | 'postgresql'
}

interface PastedValue {
  readonly name: VariableName
  readonly whereToFind: string
  readonly isSecret?: boolean
  /** Explains what happens if it is skipped. If this is missing, the value is required. */
  readonly ifSkipped?: string
  /** What it's used at. Only a test of this value may show that this isn't the service. */
  readonly address?: PastedValue
  /** Tests the value like the doctor does. */
  readonly examine?: (values: Values) => Promise<readonly DoctorFinding[]>
}

export const init = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment) {
    const values = await setUp(environment)
    return serve.run([], { ...values, ...environment })
  },
})

/** Asks for everything, and writes it to `.env`. Returns the variables in it. */
async function setUp(environment: Environment): Promise<Values> {
  const answers = await collectAnswers(environment)
  using _ = setCommandPrefix(readPrefixSetting(environment))
  const written = listWritten(answers)
  writeEnvFile(written)
  printLine(`\nWritten: ${ENV_FILE}, which only you can read.`)
  printLine(describeNextSteps(answers))
  return written
}

/** A value that failed its test and was kept can stop the app, so nothing is promised of it. */
function describeNextSteps({ values, given, failed }: Answers): string {
  const start = 'Starting now. Press Ctrl+C to stop.'
  const needed =
    given.size > 0
      ? `Only the environment has these, and every start needs them: ${[...given].join(', ')}.\n`
      : ''
  if (failed.size > 0)
    return `${needed}These failed their test: ${[...failed].join(', ')}. Until that is fixed, the app may not start or work. In this folder, npx signalman doctor says how to fix it.\n${start}\n`
  const next = values.SLACK_CLIENT_ID
    ? `Install it in a workspace: ${values.PUBLIC_URL?.replace(/\/$/, '')}/slack/install. Then type ${cmd('/hc')} there.`
    : `Type ${cmd('/hc')} in Slack.`
  return `${needed}In this folder, npx signalman serve now runs the app, and npx signalman doctor finds problems.\n${start} ${next}\n`
}

interface Answers {
  readonly values: Values
  /** The names of the values that the environment has, also in files. They are tested, but neither asked for nor written. */
  readonly given: ReadonlySet<string>
  /** The names of the values that failed their test, and were kept. */
  readonly failed: Set<string>
}

/** Asks for everything that goes into `.env`, and tests it. Throws OperatorError if the operator stops or the input ends. */
async function collectAnswers(environment: Environment): Promise<Answers> {
  refuseFolder()
  const { environment: withSecrets, faults } = readSecretFiles(environment)
  if (faults.length > 0) throw new ConfigError(faults)
  using questions = openQuestions('Nothing was written.')
  const values = pickSetVariables(withSecrets)
  const answers: Answers = { values, given: new Set(Object.keys(values)), failed: new Set() }
  using _ = setCommandPrefix(readPrefixSetting(environment))
  const setup = await askThreeQuestions(questions, values)
  if (setup.transport === 'http' || setup.tenants === 'many')
    await askForValues(questions, [PUBLIC_URL], answers)
  printLine(describeSlackSteps(setup, values.PUBLIC_URL, environment))
  await askForValues(questions, [...slackValues(setup, environment), ...serviceValues(setup)], answers)
  if (setup.tenants === 'many') values.SLACK_STATE_SECRET ??= randomBytes(32).toString('base64url')
  await chooseDatabase(questions, setup, answers)
  // Report problems in the environment before anything is written.
  readConfig({ ...listWritten(answers), ...environment })
  return answers
}

/** What goes into `.env`. The commands' prefix always does: the Slack app has it, so every start needs it. */
const listWritten = ({ values, given }: Answers): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !given.has(name) || name === 'COMMAND_PREFIX'))

/** Chooses the database. A SQLite file gets a key file of its own at the first start. */
async function chooseDatabase(questions: Questions, { store }: Setup, answers: Answers): Promise<void> {
  const { values, given } = answers
  if (store === 'sqlite') {
    values.DATABASE_URL ??= SQLITE_URL
    return
  }
  values.ENCRYPTION_KEYS ??= `k1:${randomBytes(32).toString('base64')}`
  await askForValues(questions, [DATABASE_URL], answers)
  if (!given.has('ENCRYPTION_KEYS'))
    printLine(`Created an encryption key: ENCRYPTION_KEYS in ${ENV_FILE}. Keep a copy elsewhere.`)
}

/** Throws OperatorError if this folder isn't writable, or has a `.env` already. */
function refuseFolder(): void {
  try {
    accessSync('.', constants.W_OK)
  } catch (error) {
    throw new OperatorError(`This folder isn’t writable (${describeError(error)}). Run this in another one.`)
  }
  if (existsSync(ENV_FILE))
    throw new OperatorError(
      `This folder already has a ${ENV_FILE}. Edit it, and let npx signalman doctor test it. To start over, move it away, but keep its ENCRYPTION_KEYS.`,
    )
}

async function askThreeQuestions(questions: Questions, values: Values): Promise<Setup> {
  const {
    SLACK_APP_TOKEN,
    SLACK_SIGNING_SECRET,
    SLACK_BOT_TOKEN,
    SLACK_CLIENT_ID,
    DATABASE_URL: url,
  } = values
  const transport = SLACK_APP_TOKEN ? 'socket' : SLACK_SIGNING_SECRET ? 'http' : undefined
  const tenants = SLACK_BOT_TOKEN ? 'one' : SLACK_CLIENT_ID ? 'many' : undefined
  const store = url === undefined ? undefined : url.startsWith('postgres') ? 'postgresql' : 'sqlite'
  return {
    transport:
      transport ??
      (await questions.choose('How does Slack reach the app?', {
        socket: 'Socket Mode: the app connects to Slack, from behind any firewall',
        http: 'HTTP: Slack sends requests to a public https:// address',
      })),
    tenants:
      tenants ??
      (await questions.choose('Who is it for?', {
        one: 'One workspace, whose bot token you have',
        many: 'Many workspaces, which install it themselves',
      })),
    store:
      store ??
      (await questions.choose('Where should it store its data?', {
        sqlite: 'SQLite: a file in this folder',
        postgresql: 'PostgreSQL: for running several copies of the app',
      })),
  }
}

const readPrefixSetting = ({ COMMAND_PREFIX = '' }: Environment): string => readPrefix(COMMAND_PREFIX.trim())

function describeSlackSteps(
  { transport, tenants }: Setup,
  url: string | undefined,
  environment: Environment,
): string {
  const isSocketMode = transport === 'socket'
  const origin = url && new URL(url).origin
  const prefix = readPrefixSetting(environment)
  const link = creationLink(createManifest({ url: origin, prefix, isSocketMode }))
  const manifestCommand =
    `signalman manifest ${isSocketMode ? '--socket ' : ''}${origin ? `--url ${origin}` : ''}`.trim()
  return [
    '\nOpen this address, choose a workspace, and create the app. Everything is filled in:\n',
    `${link}\n`,
    `(If the page opens without the manifest, or not at all, go to api.slack.com/apps → Create New App → From a manifest, and paste what ${manifestCommand} prints.)`,
    tenants === 'one'
      ? 'Then choose Install App → Install to Workspace → Allow.'
      : `Then choose Manage Distribution → Activate Public Distribution. Workspaces install the app at ${origin}/slack/install.`,
    ...(isSocketMode
      ? []
      : [
          `The proxy with your certificate has to forward ${origin}/slack/ to port ${environment.PORT?.trim() || '3000'} of this machine (PORT).`,
          'Once the app runs, open App Manifest in the Slack app’s settings, and choose Verify next to the request URL.',
        ]),
    '\nPaste each value. Secrets aren’t shown.',
  ].join('\n')
}

const PUBLIC_URL: PastedValue = {
  name: 'PUBLIC_URL',
  whereToFind: 'the public address of the app, such as https://signalman.example.com',
}

const DATABASE_URL: PastedValue = {
  name: 'DATABASE_URL',
  whereToFind: 'postgres://user:password@host/database',
  isSecret: true,
  examine: async (values) => {
    const { DATABASE_URL: databaseUrl = '', ENCRYPTION_KEYS: encryptionKeys } = values
    const { findings, store } = await examineDatabase({ databaseUrl, encryptionKeys }, new Date())
    await store?.[Symbol.asyncDispose]()
    return findings
  },
}

function slackValues({ transport, tenants }: Setup, environment: Environment): PastedValue[] {
  const apiUrl = environment.SLACK_API_URL?.trim() || undefined
  const location = 'from Basic Information → App Credentials'
  const transportCredential: PastedValue =
    transport === 'socket'
      ? {
          name: 'SLACK_APP_TOKEN',
          whereToFind:
            'Basic Information → App-Level Tokens: generate one with connections:write; it begins with xapp-',
          isSecret: true,
          examine: async ({ SLACK_APP_TOKEN = '' }) => [await examineSocketMode(SLACK_APP_TOKEN, apiUrl)],
        }
      : {
          name: 'SLACK_SIGNING_SECRET',
          whereToFind: `Signing Secret ${location}`,
          isSecret: true,
          // Only a request from Slack can prove that the secret is right, but a wrong format can be reported now.
          examine: async ({ SLACK_SIGNING_SECRET: secret = '' }) =>
            secretFinding(secret).map((finding) => ({ ...finding, state: 'fault' })),
        }
  if (tenants === 'one')
    return [
      {
        name: 'SLACK_BOT_TOKEN',
        whereToFind: 'Install App → Bot User OAuth Token; it begins with xoxb-',
        isSecret: true,
        examine: ({ SLACK_BOT_TOKEN = '' }) => examineToken(SLACK_BOT_TOKEN, apiUrl, 'token'),
      },
      transportCredential,
    ]
  return [
    { name: 'SLACK_CLIENT_ID', whereToFind: `Client ID ${location}` },
    {
      name: 'SLACK_CLIENT_SECRET',
      whereToFind: `Client Secret ${location}`,
      isSecret: true,
      examine: async ({ SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '' }) => [
        await examineClient({ oauth: { clientId, clientSecret, stateSecret: '' } }, apiUrl),
      ],
    },
    transportCredential,
  ]
}

function serviceValues({ tenants }: Setup): PastedValue[] {
  const address: PastedValue = {
    name: 'API_BASE_URL',
    whereToFind: 'the address of the service',
    examine: async ({ API_BASE_URL = '' }) => [await examineAddress(API_BASE_URL)],
  }
  if (tenants === 'many') return [address]
  return [
    address,
    {
      name: 'API_TOKEN',
      address,
      whereToFind: 'the token of the service',
      isSecret: true,
      ifSkipped: `If you skip this, an admin types ${cmd('/hc connect')} in Slack, which stores it encrypted.`,
      examine: ({ API_BASE_URL: baseUrl = '', API_TOKEN: production = '' }) =>
        examineService({ service: { baseUrl, oteBaseUrl: undefined, tokens: { production } } }, undefined),
    },
  ]
}

/** Asks for each value until it passes its test or the operator keeps it anyway. */
async function askForValues(
  questions: Questions,
  pastedValues: readonly PastedValue[],
  answers: Answers,
): Promise<void> {
  for (const pastedValue of pastedValues) {
    const { name, whereToFind } = pastedValue
    if (answers.given.has(name)) {
      printLine(`\n${name}: set in the environment.`)
      await testValue(pastedValue, answers.values[name] ?? '', answers)
      continue
    }
    printLine(`\n${name}: ${whereToFind}`)
    let isAnswered = false
    while (!isAnswered) {
      isAnswered = await askOnce(questions, pastedValue, answers)
      const { address } = pastedValue
      if (isAnswered || !address || !answers.failed.has(address.name)) continue
      await askForValues(questions, [address], answers)
      isAnswered = await testValue(pastedValue, answers.values[name] ?? '', answers)
    }
  }
}

/** Asks once. Enter keeps a value that failed its test. Returns false if the question must be repeated. */
async function askOnce(questions: Questions, pastedValue: PastedValue, answers: Answers): Promise<boolean> {
  const { name, isSecret = false, ifSkipped } = pastedValue
  const hint = ifSkipped === undefined ? '' : ' (optional)'
  const prompt = `${name}${answers.values[name] === undefined ? hint : ' [keep]'}:`
  // A line copied from an `.env` file starts with the name, and may have quotes.
  const typed = (await questions.ask(prompt, isSecret))
    .replace(new RegExp(`^(?:export )?${name}=`), '')
    .replace(/^(["'])(.*)\1$/, '$2')
  if (typed === '') return skip(pastedValue, answers.values)
  const problem = findProblem(name, typed)
  if (problem !== undefined) {
    printLine(`FAIL   ${name} ${problem}.`)
    return false
  }
  return await testValue(pastedValue, typed, answers)
}

/** Stores a value and tests it. Returns whether it passed. */
async function testValue(
  { name, address, examine }: PastedValue,
  typed: string,
  { values, given, failed }: Answers,
): Promise<boolean> {
  values[name] = typed
  const findings = (await examine?.(values)) ?? []
  for (const { state, part, message, fix } of findings) {
    if (state === 'ok') printLine(`ok     ${part}: ${message}`)
    if (state === 'fault') printLine(`FAIL   ${part}: ${message}${fix ? `\n       → ${fix}` : ''}`)
  }
  failed.delete(name)
  const faults = findings.filter(({ state }) => state === 'fault')
  if (faults.length === 0) return true
  if (address && !given.has(address.name) && faults.some(({ part }) => part === ADDRESS_PART)) {
    failed.add(address.name)
    return false
  }
  failed.add(name)
  if (!given.has(name)) printLine('       Paste another one, or press Enter to keep this one.')
  return false
}

/** Handles Enter, which keeps the current value or skips an optional one. Returns false if a required value is missing. */
function skip({ name, ifSkipped }: PastedValue, values: Values): boolean {
  if (values[name] !== undefined) return true
  printLine(ifSkipped === undefined ? `FAIL   ${name} is required.` : `       ${ifSkipped}`)
  return ifSkipped !== undefined
}

/** Returns why `serve` or the `.env` file wouldn't accept a value. Doesn't repeat the value, which may be a secret. */
function findProblem(name: VariableName, typed: string): string | undefined {
  if (typed.length > 4000) return 'is too long'
  const { success, error } = Variables.shape[name].safeParse(typed)
  if (!success) return error.issues[0]?.message ?? 'can’t be used'
  if (name === 'PUBLIC_URL' && !/^https:|^http:\/\/(localhost|127\.0\.0\.1)\b/.test(typed))
    return 'doesn’t begin with https://, which Slack requires'
  return fitsEnvFile(typed) ? undefined : 'contains a quote or a non-ASCII character; percent-encode it'
}
