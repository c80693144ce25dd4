import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Variables } from '../config/variables.ts'
import { examine } from '../doctor/examine.ts'
import type { DoctorFinding } from '../doctor/finding.ts'
import { readBuild } from '../version.ts'
import { readManifestFile } from './manifest.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

const HELP = `
Checks the configuration, the database (by writing a row), the keys, the disk, the clock, the tokens and their scopes, Socket
Mode or the public address (with a signed request), the service, and the last backup. For each problem it
tells you how to fix it. It can run next to the app. The exit code is 1 if there is a problem.

  --json            prints the findings as JSON
  --manifest FILE   checks the installed manifest for what Slack would refuse and how it differs from this deployment's. FILE is
                    the JSON from App Manifest at api.slack.com/apps
  --bundle FILE     writes the findings and their context to FILE (JSON, gzip) for a bug report, without any secrets

If SLACK_CONFIG_TOKEN is set to an app configuration token, Slack itself validates the manifest of this deployment, without
creating an app. The token is a variable rather than a flag to keep it out of the shell's history and the list of processes.

Read from the environment: the variables in docs/variables.md.
`

export const doctor = operatorVerb({
  help: HELP,
  flags: {
    json: { type: 'boolean' },
    manifest: { type: 'string' },
    bundle: { type: 'string' },
  },
  async run({ values }, environment) {
    const installedManifest = values.manifest === undefined ? undefined : readManifestFile(values.manifest)
    const findings = await examine({ environment, installedManifest })
    if (values.json) printLine(JSON.stringify({ findings }, null, 2))
    else for (const line of findings.flatMap(formatFinding)) printLine(line)
    if (values.bundle !== undefined) await writeBundle(values.bundle, findings, environment)
    const faults = findings.filter(({ state }) => state === 'fault').length
    if (!values.json) printLine(formatSummary(faults))
    return faults === 0 ? 0 : 1
  },
})

function formatSummary(faults: number): string {
  if (faults === 0) return 'No problems found.'
  return faults === 1 ? '1 problem found.' : `${faults} problems found. Start with the first one.`
}

const LABELS = { ok: 'ok', fault: 'FAIL', advice: 'advice', skipped: 'skipped' } as const
/** The longest label and a space. */
const LABEL_WIDTH = 8

function formatFinding({ part, state, message, fix }: DoctorFinding): string[] {
  const fixLines = fix === undefined ? [] : [`${' '.repeat(LABEL_WIDTH)}→ ${fix}`]
  return [`${LABELS[state].padEnd(LABEL_WIDTH)}${part}: ${message}`, ...fixLines]
}

/** Writes the findings with their context. Contains only the names of variables, because any value may be a secret. */
async function writeBundle(
  path: string,
  findings: readonly DoctorFinding[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { platform, arch } = process
  const isRelevant = (name: string) => Object.hasOwn(Variables.shape, name) || /^(NODE|OTEL)_/.test(name)
  const names = Object.keys(environment).filter((name) => isRelevant(name) && environment[name] !== '')
  const bundle = { ...(await readBuild()), platform, arch, set: names.toSorted(), findings }
  try {
    await writeFile(path, await promisify(gzip)(JSON.stringify(bundle, null, 2)), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new OperatorError(
      `Couldn’t write ${path}. Does it already exist? (${error instanceof Error ? error.message : ''})`,
    )
  }
}
