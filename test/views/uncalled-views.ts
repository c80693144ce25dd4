import { globSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { basename, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const VIEWS = /\/src\/(?:bot|features)\/(?:.*\/)?views(?:\.ts|\/[\w-]+\.ts)$/
const EXPORTED = /^export (?:async )?(?:function|const) (\w+)(?= ?[(<]| = (?:async )?(?:\(|\w+ =>))/gm

/** Watches which functions of the files of views are called in this process. */
export async function watchViews(): Promise<{ listUncalled(): Promise<string[]> }> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    /** The exported functions that nobody has called. */
    async listUncalled() {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      session.disconnect()
      const called = new Set(
        result
          .filter(({ url }) => VIEWS.test(url))
          .flatMap(({ url, functions }) =>
            functions
              .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
              .map(({ functionName }) => `${basename(url)} ${functionName}`),
          ),
      )
      return globSync('src/{bot,features}/**/*.ts', { cwd: ROOT })
        .filter((file) => VIEWS.test(`/${file}`))
        .flatMap((file) =>
          [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED)].flatMap(([, name]) =>
            called.has(`${basename(file)} ${name}`) ? [] : [`${name} (${file})`],
          ),
        )
    },
  }
}
