import { statSync } from 'node:fs'
import { describeFileFault, errorCode, readTextFile } from '@signalman/durable'

type Environment = Readonly<Record<string, string | undefined>>

/** The variables that may be in a file, such as a mounted secret: NAME_FILE is its path. */
const SECRETS = [
  'SLACK_SIGNING_SECRET',
  'SLACK_APP_TOKEN',
  'SLACK_BOT_TOKEN',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'API_TOKEN',
  'API_OTE_TOKEN',
  'DATABASE_URL',
  'ENCRYPTION_KEYS',
  'HEARTBEAT_URL',
] as const

const MAX_BYTES = 64 * 1024

export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`)

/**
 * The environment with the secrets from their files. `faults` name variables, but never a path, because people also set such a variable to the
 * secret itself.
 */
export function readSecretFiles(environment: Environment): { environment: Environment; faults: string[] } {
  const secrets: Record<string, string> = {}
  const faults = SECRETS.flatMap((name) => {
    const path = environment[`${name}_FILE`]?.trim()
    if (!path) return []
    if (environment[name]?.trim()) return [`${name} and ${name}_FILE are both set; set only one of them`]
    const read = readSecretFile(path)
    if ('fault' in read)
      return [`The file in ${name}_FILE ${read.fault}; give the path of a file with the value`]
    secrets[name] = read.secret
    return secrets[name] === '' ? [`The file in ${name}_FILE is empty; put its content back`] : []
  })
  return { environment: { ...environment, ...secrets }, faults }
}

function readSecretFile(path: string): { secret: string } | { fault: string } {
  try {
    const file = statSync(path)
    // Reading a pipe would wait for whoever writes to it, and some devices never end.
    if (!file.isFile()) return { fault: 'isn’t a regular file' }
    if (file.size > MAX_BYTES) return { fault: 'is too large for a secret' }
    return { secret: readTextFile(path).trim() }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { fault: 'doesn’t exist' }
    return { fault: describeFileFault(error) ?? 'can’t be read' }
  }
}
