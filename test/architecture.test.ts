import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** Room → what it may import: other rooms by name, packages by theirs. Types count too. Node's own modules are free. */
const WALLS: Record<string, readonly string[]> = {
  'main.ts': ['*'],
  'demo.ts': ['*'],
  demo: ['playground', 'sandbox'],
  'app.ts': [
    'api',
    'blocks',
    'config.ts',
    'errors.ts',
    'features',
    'log.ts',
    'slack',
    'store',
    'watch',
    '@slack/bolt',
  ],
  'rotate-keys.ts': ['store'],
  'audit-verify.ts': ['store'],
  'config.ts': ['zod', 'store'],
  'log.ts': ['pino'],
  'errors.ts': [],
  api: ['undici', 'zod'],
  blocks: ['@slack/types'],
  store: ['kysely', 'pg'],
  watch: ['api', 'blocks', 'errors.ts', 'log.ts', 'store'],
  slack: [
    'api',
    'blocks',
    'errors.ts',
    'log.ts',
    'store',
    '@slack/bolt',
    '@slack/oauth',
    '@slack/types',
    'undici',
  ],
  features: [
    'slack',
    'api',
    'blocks',
    'errors.ts',
    'store',
    'zod',
    '@peculiar/x509',
    '@slack/types',
    'csv-parse',
    'csv-stringify',
  ],
  sandbox: ['fastify', 'nodemailer', 'undici'],
  playground: ['fastify', 'react', 'react-dom', 'vite', '@vitejs/plugin-react'],
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll('\\', '/'))

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

function importsOf(file: string): string[] {
  const source = readFileSync(join(SRC, file), 'utf8')
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? file
}

/** What an import names: a package, or the room (and for features, the feature) that a relative path ends in. */
function targetOf(file: string, specifier: string): { room: string; feature?: string | undefined } {
  if (!specifier.startsWith('.')) {
    const [scope = '', name = ''] = specifier.split('/')
    return { room: scope.startsWith('@') ? `${scope}/${name}` : scope }
  }
  const path = relative(SRC, join(SRC, file, '..', specifier)).replaceAll('\\', '/')
  const [room = '', feature] = path.split('/')
  return { room, feature: room === 'features' ? feature : undefined }
}

describe('the walls between rooms', () => {
  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in WALLS))).toEqual([])
  })

  it.each(files)('%s imports only what its room may', (file) => {
    const room = roomOf(file)
    const allowed = WALLS[room] ?? []
    const breaches = importsOf(file).filter((specifier) => {
      if (specifier.startsWith('node:') || allowed.includes('*')) return false
      const target = targetOf(file, specifier)
      if (room === 'features' && target.room === 'features') return target.feature !== file.split('/')[1]
      return target.room !== room && !allowed.includes(target.room)
    })
    expect(breaches).toEqual([])
  })
})

describe('the size of files', () => {
  const lengths = files.map((file) => ({
    file,
    lines: readFileSync(join(SRC, file), 'utf8').split('\n').length,
  }))

  it('keeps every file within 300 lines', () => {
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
  })
})
