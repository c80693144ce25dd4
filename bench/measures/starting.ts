import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Benchmark } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { median, ratio } from '../parts/numbers.ts'
import { BOT_TOKEN, SIGNING_SECRET } from '../parts/slack.ts'
import { measureStartup, type StartupSample } from '../parts/startup.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLOSED_ADDRESS = 'http://127.0.0.1:9'

const START_REASON =
  'Signalman also opens its database and loads its features. From run to run, the ratio is between 0.98 and 1.16.'

const MEMORY_REASON =
  'The memory of both changes by a few MB from run to run, and the ratio is between 1.12 and 1.19.'

/** Measures how long the shipped program takes until its first response, and how much memory it uses when idle. */
export const starting: Benchmark = {
  name: 'starting',
  question:
    'How long does the shipped program take until it answers /healthz, and how much memory does it use?',
  async answer({ progress, size }) {
    // Builds dist/ from these sources. Then the program exits immediately, because it has no configuration.
    spawnSync(process.execPath, [join(ROOT, 'bin/signalman.cjs'), 'serve'], {
      env: { PATH: process.env.PATH },
    })
    await using folder = await makeFolder()
    const env = {
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: `${CLOSED_ADDRESS}/api/`,
      API_BASE_URL: CLOSED_ADDRESS,
      DATABASE_URL: `sqlite:${folder.file('signalman.db')}`,
      HOST: '127.0.0.1',
    }
    const imageVariables = { ...(await readImageVariables()), NODE_COMPILE_CACHE: join(ROOT, 'dist/cache') }
    const idleMs = size(2000, 100)
    const subjects = {
      bolt: () =>
        measureStartup([join(import.meta.dirname, '../servers/bolt-alone.mjs')], { env: {}, idleMs }),
      image: () =>
        measureStartup([join(ROOT, 'dist/signalman.mjs'), 'serve'], {
          env: { ...env, ...imageVariables },
          idleMs,
        }),
      launcher: () => measureStartup([join(ROOT, 'bin/signalman.cjs'), 'serve'], { env, idleMs }),
      sources: () => measureStartup([join(ROOT, 'src/cli/signalman.ts'), 'serve'], { env, idleMs }),
    }
    const samples: Record<keyof typeof subjects, StartupSample[]> = {
      bolt: [],
      image: [],
      launcher: [],
      sources: [],
    }
    const rounds = size(7, 1)
    for (let round = -1; round < rounds; round += 1) {
      progress(round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}, four programs in turn`)
      // Built from the keys of `subjects`.
      for (const name of Object.keys(subjects) as (keyof typeof subjects)[]) {
        const started = await subjects[name]()
        if (round >= 0) samples[name].push(started)
      }
    }
    const series = (name: keyof typeof subjects, value: keyof StartupSample) =>
      samples[name].map((sample) => sample[value])
    const ratioToBolt = (value: keyof StartupSample) => ratio(series('image', value), series('bolt', value))
    const row = (title: string, name: keyof typeof subjects) =>
      [title, median(series(name, 'startMs')), median(series(name, 'idleMb'))] as const
    return {
      tables: [
        {
          title: 'Time from the start of the process to its first response, and memory when idle',
          columns: ['ms', 'MB'],
          rows: [
            row('bare Bolt', 'bolt'),
            row('Signalman, run like the image', 'image'),
            row('Signalman, run like npm start, without npm', 'launcher'),
            row('Signalman, run from its sources', 'sources'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Start to /healthz ÷ bare Bolt',
          bound: { atMost: 0.9 },
          reached: ratioToBolt('startMs'),
          reason: START_REASON,
        },
        {
          goal: 'Idle memory ÷ bare Bolt',
          bound: { atMost: 1.1 },
          reached: ratioToBolt('idleMb'),
          reason: MEMORY_REASON,
        },
      ],
    }
  },
}

/** Reads the flags for Node and glibc from the Dockerfile. Throws if one is missing. */
async function readImageVariables(): Promise<Record<string, string>> {
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  return Object.fromEntries(
    ['NODE_OPTIONS', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_ARENA_MAX'].map((name) => {
      const value = new RegExp(`\\b${name}="?([^"\\n]+)"?`).exec(image)?.[1]
      if (value === undefined) throw new Error(`The Dockerfile sets no ${name}.`)
      return [name, value]
    }),
  )
}
