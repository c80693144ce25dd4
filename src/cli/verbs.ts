// This folder is the operator’s program, `signalman`: one file per verb.

import type { OperatorVerb } from './operator-verb.ts'

interface ListedVerb {
  readonly name: string
  /** Its arguments and flags, for the usage line. */
  readonly usage: string
  readonly description: string
  /** Set for the verb that creates the `.env` that every other verb reads. */
  readonly createsEnvFile?: true
  load(): Promise<OperatorVerb>
}

/** Every verb, in the order in which an operator needs them. */
export const VERBS: readonly ListedVerb[] = [
  {
    name: 'init',
    usage: '',
    description: 'sets up the app step by step, writes .env, and runs the app',
    createsEnvFile: true,
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'serve',
    usage: '',
    description: 'runs the app, as npm start does',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'doctor',
    usage: '[--json]',
    description: 'finds problems with this deployment and tells you how to fix them',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'manifest',
    usage: '[--url https://host | --socket] [--prefix x-]',
    description: 'prints the Slack app manifest for this deployment',
    load: async () => (await import('./manifest.ts')).manifest,
  },
  {
    name: 'backup',
    usage: 'FILE',
    description: 'backs up the SQLite database into one file while the app runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    usage: 'FILE | --mark | --confirm',
    description: 'restores a backup',
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'erase-workspace',
    usage: 'ID --yes',
    description:
      'deletes all data of a workspace, including its audit log, and leaves one row that records this',
    load: async () => (await import('./erase.ts')).eraseWorkspaceVerb,
  },
  {
    name: 'erase-person',
    usage: 'WORKSPACE USER [--also TEXT…] --yes',
    description: 'removes a person from a workspace’s audit log and threat cases',
    load: async () => (await import('./erase.ts')).erasePersonVerb,
  },
  {
    name: 'rotate-keys',
    usage: '',
    description: 're-encrypts everything with the first key while the app is stopped',
    load: async () => (await import('./rotate-keys.ts')).rotateKeysVerb,
  },
]
