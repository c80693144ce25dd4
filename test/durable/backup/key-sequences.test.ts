import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keyFilePath } from '../../../packages/durable/src/secrets/key-check.ts'
import { formerKeysFile } from '../../../packages/durable/src/secrets/key-file.ts'
import { makeKeyText } from '../../../packages/durable/src/secrets/keys.ts'
import { openStore } from '../../../src/app/store.ts'
import { makeFolder, type TestDatabase, type TestFolder } from '../../databases/databases.ts'
import { backUp, backUpKeys, restoreBackup, rotateKeys } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, type Random, readSeed } from '../../random.ts'

const SEQUENCES = quickOrLong('BACKUP_SEQUENCES', { quick: 1, long: 200 })
const ACTIONS = ['save', 'backup', 'restore', 'rotate', 'dropOldKeys', 'erase', 'switchDatabase'] as const
const IDS = ['T1', 'T2', 'T3']
const NOW = new Date('2026-03-01T12:00:00.000Z')

/** The tokens that a database has stored, by workspace. */
type Tokens = ReadonlyMap<string, string>

/** Acts as the operator of an installation, who keeps only the keys that the output says to keep. */
class Operator implements AsyncDisposable {
  private readonly folder: TestFolder = makeFolder()
  private readonly postgres: TestDatabase[] = []
  private readonly backups: { path: string; tokens: Tokens }[] = []
  private readonly erased = new Set<string>()
  private tokens = new Map<string, string>()
  private fileCount = 0
  private url = `sqlite:${join(this.folder.path, 'first.db')}`
  /** The value of `ENCRYPTION_KEYS`. Empty for SQLite, which has key files. */
  private keys = ''
  /** Former keys, for which the output says: "Keep it as long as you keep those backups." */
  private readonly keptKeys: string[] = []

  private readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  private get address() {
    return { url: this.url, keys: this.keys }
  }

  private get databaseFile(): string | undefined {
    return this.keys === '' ? this.url.slice('sqlite:'.length) : undefined
  }

  private nextPath = (ending: string): string => join(this.folder.path, `${++this.fileCount}.${ending}`)

  async save(): Promise<void> {
    await using store = await openStore(this.address)
    const workspaceId = this.random.oneOf(IDS)
    const token = `token ${++this.fileCount} of ${workspaceId}`
    await store.connections.save({ workspaceId, environment: 'production', token, userId: 'U1', now: NOW })
    this.tokens.set(workspaceId, token)
  }

  async backup(): Promise<void> {
    const path = this.nextPath('backup')
    await backUp(this.address, path)
    this.backups.push({ path, tokens: new Map(this.tokens) })
  }

  private withoutErased = (tokens: Tokens) =>
    new Map([...tokens].filter(([, token]) => !this.erased.has(token)))

  async restore(): Promise<void> {
    const { path, tokens } = this.random.oneOf(this.backups)
    if (this.keys !== '') this.keys = [...new Set([...this.keys.split(','), ...this.keptKeys])].join(',')
    await restoreBackup({ ...this.address, path, isReplacing: true })
    this.tokens = this.withoutErased(tokens)
  }

  async rotate(): Promise<void> {
    const hasKeyFile = this.keys === ''
    if (!hasKeyFile) this.keys = `${makeKeyText()},${this.keys}`
    const workspaceKeys = this.random.below(3) === 0 ? 'new' : undefined
    const { undecryptable } = await rotateKeys({
      ...this.address,
      keyFile: hasKeyFile ? 'new' : undefined,
      workspaceKeys,
    })
    expect(undecryptable).toEqual([])
  }

  async dropOldKeys(): Promise<void> {
    if (this.keys === '') await rotateKeys({ ...this.address, keyFile: 'drop-old' })
    else {
      const { unusedKeys } = await rotateKeys(this.address)
      const entries = this.keys.split(',')
      const isUnused = (entry: string) => unusedKeys.some((id) => entry.startsWith(`${id}:`))
      this.keptKeys.push(...entries.filter((entry) => isUnused(entry) && !this.keptKeys.includes(entry)))
      this.keys = entries.filter((entry) => !isUnused(entry)).join(',')
    }
  }

  async erase(): Promise<void> {
    const id = this.random.oneOf(IDS)
    {
      await using store = await openStore(this.address)
      await store.eraseWorkspace(id, 'r')
      await store.retiredDatabases.erase(id, NOW)
    }
    for (const tokens of [this.tokens, ...this.backups.map((backup) => backup.tokens)]) {
      const token = tokens.get(id)
      if (token !== undefined) this.erased.add(token)
    }
    this.tokens.delete(id)
    await backUpKeys(this.address, this.folder.path)
  }

  /** Moves from SQLite to PostgreSQL or back, by restoring a backup. */
  async switchDatabase(): Promise<void> {
    await this.backup()
    const path = this.backups.at(-1)?.path ?? ''
    if (this.databaseFile !== undefined) {
      const postgres = await startPostgresDatabase('empty')
      this.postgres.push({
        url: postgres.url,
        keys: '',
        [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
      })
      const currentKeys = readFileSync(keyFilePath(this.databaseFile), 'utf8').trim()
      const formerFile = formerKeysFile(keyFilePath(this.databaseFile))
      if (existsSync(formerFile)) this.keptKeys.push(...readFileSync(formerFile, 'utf8').trim().split(','))
      this.keys = currentKeys
      this.url = postgres.url
    } else {
      const file = this.nextPath('db')
      const [first = '', ...others] = this.keys.split(',')
      writeFileSync(keyFilePath(file), [first, ...others].join(','), { mode: 0o600 })
      const formerKeys = this.keptKeys.filter((entry) => !this.keys.split(',').includes(entry))
      if (formerKeys.length > 0)
        writeFileSync(formerKeysFile(keyFilePath(file)), [...new Set(formerKeys)].join(','), { mode: 0o600 })
      this.keys = ''
      this.url = `sqlite:${file}`
    }
    await restoreBackup({ ...this.address, path })
  }

  async expectReadable(address: { url: string; keys: string }, tokens: Tokens): Promise<void> {
    await using store = await openStore(address)
    for (const id of IDS) {
      expect((await store.connections.find(id, 'production'))?.token, id).toBe(tokens.get(id))
      expect((await store.audit.verify(id)).faults).toEqual([])
    }
    expect((await store.audit.verifyAll()).faults).toEqual([])
  }

  async expectCurrentDatabaseReadable(): Promise<void> {
    await this.expectReadable(this.address, this.tokens)
  }

  /** Restores each backup on another machine, with the newest key file or the encryption keys. */
  async expectEveryBackupRestorable(): Promise<void> {
    for (const { path, tokens } of this.backups) {
      const file = this.nextPath('db')
      if (this.databaseFile === undefined)
        writeFileSync(
          keyFilePath(file),
          [...new Set([...this.keys.split(','), ...this.keptKeys])].join(','),
          {
            mode: 0o600,
          },
        )
      else {
        const formerFile = formerKeysFile(keyFilePath(this.databaseFile))
        copyFileSync(keyFilePath(this.databaseFile), keyFilePath(file))
        if (existsSync(formerFile)) copyFileSync(formerFile, formerKeysFile(keyFilePath(file)))
      }
      const otherMachine = { url: `sqlite:${file}`, keys: '' }
      expect(await restoreBackup({ ...otherMachine, path })).toMatchObject({ faults: [] })
      await this.expectReadable(otherMachine, this.withoutErased(tokens))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const database of this.postgres) await database[Symbol.asyncDispose]()
    this.folder[Symbol.dispose]()
  }
}

const random = createRandom(readSeed())

it.each(Array.from({ length: SEQUENCES }, (_, index) => [index + 1, random.below(1_000_000_000)] as const))(
  'can restore every backup with the keys that the output says to keep: sequence %i, seed %i',
  async (_, seed) => {
    const sequenceRandom = createRandom(seed)
    await using operator = new Operator(sequenceRandom)
    const doneActions: string[] = ['save', 'backup']
    await operator.save()
    await operator.backup()
    try {
      for (let count = 6 + sequenceRandom.below(6); count > 0; count -= 1) {
        const action = sequenceRandom.oneOf(ACTIONS)
        doneActions.push(action)
        await operator[action]()
        await operator.expectCurrentDatabaseReadable()
      }
      doneActions.push('restore every backup')
      await operator.expectEveryBackupRestorable()
    } catch (error) {
      throw new Error(`After ${doneActions.join(', ')}`, { cause: error })
    }
  },
)
