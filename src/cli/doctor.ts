import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Variables } from '../config/variables.ts'
import { examine } from '../doctor/examine.ts'
import type { DoctorFinding } from '../doctor/finding.ts'
import { readBuild } from '../version.ts'
import { readInstalled } from './manifest.ts'
import { OperatorError, say } from './operator.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
Looks at the configuration, the database (by writing a row), the keys, the disk, the clock, the tokens and their scopes,
Socket Mode or the public address (by a signed request), the service, the audit anchor and the last backup, and says for
each thing that is wrong how to put it right. It may run beside the app. The exit code is 1 when anything is wrong.

  --json            the findings as JSON
  --views           has Slack look through every message, window and Home that the app shows, made of sample data in memory:
                    takes some seconds, and needs a Slack that knows blocks.validate
  --manifest FILE   says what Slack would refuse in the installed manifest, and how it differs from the one of this deployment:
                    the JSON from App Manifest at api.slack.com/apps
  --bundle FILE     writes the findings and what is around them into FILE (JSON, gzip), for a bug report: without any secret

If SLACK_CONFIG_TOKEN is set to an app configuration token, Slack itself validates the manifest of this deployment. Nothing is
created. The token is a variable and no flag, so that it isn't in the shell's history or the list of processes.

Read from the environment: the variables in docs/variables.md.
`

export const doctor = operatorVerb({
  help: HELP,
  flags: {
    json: { type: 'boolean' },
    manifest: { type: 'string' },
    bundle: { type: 'string' },
    views: { type: 'boolean' },
  },
  async run({ values }, environment) {
    const installed = values.manifest === undefined ? undefined : readInstalled(values.manifest)
    const findings = await examine({ environment, installed, views: values.views })
    if (values.json) say(JSON.stringify({ findings }, null, 2))
    else for (const line of findings.flatMap(linesOf)) say(line)
    if (values.bundle !== undefined) await writeBundle(values.bundle, findings, environment)
    const faults = findings.filter(({ state }) => state === 'fault').length
    if (!values.json) say(endOf(faults))
    return faults === 0 ? 0 : 1
  },
})

function endOf(faults: number): string {
  if (faults === 0) return 'Nothing is wrong.'
  return faults === 1
    ? 'One thing is wrong. Put it right.'
    : `${faults} things are wrong. Put them right from the top.`
}

const SIGNS = { ok: 'ok', fault: 'WRONG', advice: 'advice', skipped: 'not tried' } as const
/** As wide as the widest of them, and a space. */
const WIDTH = 10

function linesOf({ part, state, says, mend }: DoctorFinding): string[] {
  const mends = mend === undefined ? [] : [`${' '.repeat(WIDTH)}→ ${mend}`]
  return [`${SIGNS[state].padEnd(WIDTH)}${part}: ${says}`, ...mends]
}

/** Of the variables only which are set: any of them may be a secret. */
async function writeBundle(
  path: string,
  findings: readonly DoctorFinding[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { platform, arch } = process
  const isAsked = (name: string) => Object.hasOwn(Variables.shape, name) || /^(NODE|OTEL)_/.test(name)
  const names = Object.keys(environment).filter((name) => isAsked(name) && environment[name] !== '')
  const bundle = { ...readBuild(), platform, arch, set: names.toSorted(), findings }
  try {
    await writeFile(path, await promisify(gzip)(JSON.stringify(bundle, null, 2)), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new OperatorError(
      `${path} could not be written; is it there already? (${error instanceof Error ? error.message : ''})`,
    )
  }
}
