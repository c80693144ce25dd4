import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles, ROOT, readSource } from './source-files.ts'

/** The modules and packages that each module may import. Type imports count, too. Node's own modules are always allowed. */
type AllowedImports = Record<string, readonly string[]>

const BASE_PACKAGES = ['@signalman/runtime', '@signalman/slack', '@signalman/durable']

const BELOW_FEATURES = ['bot', 'service', 'domain', ...BASE_PACKAGES, 'kysely']

/** What the commands of the program use besides each other. */
const WHOLE_APP = [
  'app',
  'app.ts',
  'bot',
  'service',
  'config',
  'config.ts',
  'domain',
  'log.ts',
  ...BASE_PACKAGES,
]

const SRC: AllowedImports = {
  cli: ['doctor', ...WHOLE_APP, 'version.ts'],
  doctor: [...WHOLE_APP, 'features', '@slack/bolt'],
  'app.ts': ['app', 'config.ts', 'metrics', 'log.ts', 'features', ...BELOW_FEATURES],
  app: ['config.ts', 'metrics', 'log.ts', 'version.ts', 'features', ...BELOW_FEATURES],
  features: [...BELOW_FEATURES, 'version.ts', '@slack/types', 'csv-parse', 'tldts', 'lru-cache', 'zod'],
  bot: [
    'service',
    'domain',
    ...BASE_PACKAGES,
    'kysely',
    '@slack/bolt',
    '@slack/oauth',
    '@slack/types',
    'lru-cache',
  ],
  service: ['domain', '@signalman/runtime', 'lru-cache', 'undici', 'zod'],
  domain: ['@signalman/runtime', 'csv-stringify', 'emojibase-data', 'temporal-polyfill'],
  config: ['domain', 'zod', ...BASE_PACKAGES],
  'config.ts': ['config', 'domain', 'zod', ...BASE_PACKAGES],
  'version.ts': [],
  'log.ts': ['@signalman/runtime', 'pino', 'sonic-boom'],
  metrics: ['domain', 'version.ts', ...BASE_PACKAGES, '@prometheus-io/client'],
}

/** The packages below the app, which never import src. `rest` stands for all modules of a package that aren't listed by name. */
const RUNTIME: AllowedImports = { rest: ['lru-cache', 'pino', 'undici'] }
const SLACK: AllowedImports = {
  rest: ['@signalman/runtime', '@slack/bolt', '@slack/oauth', '@slack/types', 'lru-cache', 'undici', 'ws'],
}
const DURABLE: AllowedImports = { rest: ['@signalman/runtime', 'kysely', 'lru-cache', 'pg'] }

/**
 * The layers of a module, from top to bottom. A file or folder may import only those after it. The entries of an inner list don't import
 * each other.
 */
const MODULE_LAYERS: Record<string, readonly (string | readonly string[])[]> = {
  'src/app': [
    'listen.ts',
    'work.ts',
    'call-monitor.ts',
    'deployment.ts',
    'readiness.ts',
    'stop.ts',
    'slack-receiver.ts',
    'bot.ts',
    'start-features.ts',
    'backends.ts',
    'store.ts',
    'store-stats.ts',
    'model.ts',
    'features.ts',
  ],
  'src/bot': [
    'feature.ts',
    'listeners.ts',
    'handle.ts',
    'acts.ts',
    'run.ts',
    'find.ts',
    'share.ts',
    'jobs',
    'retention',
    'forms',
    'home',
    'handler.ts',
    'answer.ts',
    'ports.ts',
    'act-errors.ts',
    'posts',
    'request',
    'audit',
    'windows',
    'unread',
    'routes',
    'access',
    'typed',
    'views',
    'install',
    'bind-buttons.ts',
    'grammar',
    'stored.ts',
    'workspaces',
  ],
  'packages/slack/src': ['index.ts', 'install', 'receive', 'reply', 'client', 'blocks'],
  'packages/durable/src': [
    'index.ts',
    'durable.ts',
    'engine',
    ['backup.ts', 'open-store.ts'],
    'work',
    'settings.ts',
    'audit',
    'secrets',
    'database',
  ],
  'packages/playground/src': [
    ['index.ts', 'main.ts'],
    'driver.ts',
    ['driver', 'browser', 'web'],
    'program',
    'control',
    ['actions', 'api'],
    'changes',
    'delivery',
    'payloads',
    'state',
    'manifest',
    'validation',
    'rules',
    'http',
    'protocol',
    'platform',
  ],
}

/** The demo: what it takes from the app, and from its two stand-ins. */
const DEMO: AllowedImports = {
  rest: [
    '@signalman/playground',
    '@signalman/runtime',
    '@signalman/sandbox',
    'src/app.ts',
    'src/config.ts',
    'src/log.ts',
  ],
}
/** The stand-ins, which import neither the app nor each other. `rest` stands for all modules that aren't listed by name. */
const PLAYGROUND: AllowedImports = {
  web: [
    'protocol',
    'rules',
    '@slack/types',
    'react',
    'react-dom',
    'react-aria',
    'react-aria-components',
    'vite',
    '@vitejs/plugin-react',
  ],
  browser: ['axe-core', 'playwright-core', 'vite'],
  driver: ['protocol'],
  rest: ['driver', 'emojibase-data', 'fastify', 'ws', 'yaml', 'zod'],
}
const SANDBOX: AllowedImports = { rest: ['fastify'] }

const TREES: Record<string, AllowedImports> = {
  src: SRC,
  'packages/runtime/src': RUNTIME,
  'packages/slack/src': SLACK,
  'packages/durable/src': DURABLE,
  'packages/demo/src': DEMO,
  'packages/playground/src': PLAYGROUND,
  'packages/sandbox/src': SANDBOX,
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

const importsByFile = new Map<string, readonly string[]>()

/** Lists the imports of a file as package names and paths from the root. Leaves out Node's own modules and package.json. */
function listImports(file: string): readonly string[] {
  const found = importsByFile.get(file) ?? readImports(file)
  importsByFile.set(file, found)
  return found
}

const readImports = (file: string): string[] =>
  [...readSource(file).matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((specifier) => !specifier.startsWith('node:') && !/^[./]+package\.json$/.test(specifier))
    .map((specifier) => resolveImport(file, specifier))

/** Lists the imports of these files that aren't as they should be. */
const findWrongImports = (
  files: readonly string[],
  isWrong: (file: string, target: string) => boolean,
): string[] =>
  files.flatMap((file) =>
    listImports(file)
      .filter((target) => isWrong(file, target))
      .map((target) => `${file} imports ${target}`),
  )

function resolveImport(file: string, specifier: string): string {
  if (specifier.startsWith('.'))
    return relative(ROOT, join(ROOT, file, '..', specifier)).replaceAll('\\', '/')
  // Only the package's name, without a path in it.
  return specifier.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1')
}

/** Returns the module that a file belongs to: `rest` if the table has that entry and doesn't list the module by name. */
function findModule(tree: string, file: string): string {
  const module = file.slice(tree.length + 1).split('/')[0] ?? file
  const allowedImports = TREES[tree] ?? {}
  return module in allowedImports || !('rest' in allowedImports) ? module : 'rest'
}

function mayImport(tree: string, file: string, target: string): boolean {
  const module = findModule(tree, file)
  const allowed = TREES[tree]?.[module] ?? []
  if (allowed.includes('*')) return true
  if (!target.startsWith(`${tree}/`)) return allowed.includes(target)
  const [targetModule = '', feature] = target.slice(tree.length + 1).split('/')
  if (module === 'features' && targetModule === 'features') return feature === file.split('/')[2]
  return findModule(tree, target) === module || allowed.includes(targetModule)
}

/** Whether the target is in a higher layer of the file's own module, or beside it. False if the module has no declared layers. */
function isUpward(file: string, target: string): boolean {
  const [folder, layers] =
    Object.entries(MODULE_LAYERS).find(([module]) => file.startsWith(`${module}/`)) ?? []
  if (!folder || !layers || !target.startsWith(`${folder}/`)) return false
  const [fileEntry, targetEntry] = [file, target].map(
    (path) => path.slice(folder.length + 1).split('/')[0] ?? '',
  )
  const rank = (entry = ''): number => layers.findIndex((layer) => [layer].flat().includes(entry))
  return (
    rank(targetEntry) < rank(fileEntry) ||
    (rank(targetEntry) === rank(fileEntry) && targetEntry !== fileEntry)
  )
}

describe.each(Object.keys(TREES))('the imports in %s', (tree) => {
  const files = listFiles(tree)

  it('are declared only for existing modules', () => {
    const modules = new Set(files.map((file) => findModule(tree, file)))
    expect(Object.keys(TREES[tree] ?? {}).filter((module) => !modules.has(module))).toEqual([])
  })

  it('are declared for every module', () => {
    const declared = Object.keys(TREES[tree] ?? {})
    expect(
      files.map((file) => findModule(tree, file)).filter((module) => !declared.includes(module)),
    ).toEqual([])
  })

  it('are all declared', () => {
    expect(findWrongImports(files, (file, target) => !mayImport(tree, file, target))).toEqual([])
  })

  it('never point to a higher layer of their module', () => {
    expect(findWrongImports(files, isUpward)).toEqual([])
  })
})

it.each(Object.keys(MODULE_LAYERS))(
  'declares a layer for each file and folder in %s, and for nothing else',
  (module) => {
    const names = listFiles(module).map((file) => file.slice(module.length + 1).split('/')[0] ?? '')
    expect([...new Set(names)].toSorted()).toEqual((MODULE_LAYERS[module] ?? []).flat().toSorted())
  },
)

it('lets src/app import features only in its list, and of each only its declaration', () => {
  const isUnlisted = (file: string, target: string): boolean =>
    target.startsWith('src/features/') &&
    !(file === 'src/app/features.ts' && /^src\/features\/[^/]+\/feature\.ts$/.test(target))
  expect(findWrongImports([...listFiles('src/app'), 'src/app.ts'], isUnlisted)).toEqual([])
})

/** The folders with code of this repository, whose files may import each other by path. */
const CODE_FOLDERS = ['src', 'test', 'bench', 'bin', 'docs', 'packages']

/** Returns the files that import each other in a cycle, and those that import such files. Type imports count, too. */
function findCycles(files: readonly string[]): string[] {
  const remaining = new Set(files)
  for (;;) {
    const withoutImports = [...remaining].filter(
      (file) => !listImports(file).some((target) => remaining.has(target)),
    )
    if (withoutImports.length === 0) return [...remaining]
    for (const file of withoutImports) remaining.delete(file)
  }
}

it('finds no import cycle in the repository, including its tests', () => {
  expect(findCycles(CODE_FOLDERS.flatMap(listFiles))).toEqual([])
})

/** The kinds of files in a feature. A file may import files of its own kind and of the kinds before it. */
const KINDS = ['rule', 'view or row', 'use case', 'entry', 'feature'] as const

function findKind(inner: string): number {
  const parts = inner.slice(0, -'.ts'.length).split('/')
  const has = (...names: string[]): boolean => names.some((name) => parts.includes(name))
  if (inner === 'feature.ts') return KINDS.indexOf('feature')
  if (has('rules', 'parse')) return KINDS.indexOf('rule')
  if (has('rows', 'views')) return KINDS.indexOf('view or row')
  return KINDS.indexOf(has('commands', 'forms') ? 'entry' : 'use case')
}

describe.each(readdirSync(join(ROOT, 'src', 'features')))('the feature %s', (name) => {
  const folder = `src/features/${name}`
  const files = listFiles(folder)
  const isOwn = (target: string): boolean => target.startsWith(`${folder}/`)
  const findFileKind = (file: string): number => findKind(file.slice(folder.length + 1))

  it('imports only from lower layers, from feature.ts down to the rules', () => {
    const isUpwardImport = (file: string, target: string): boolean =>
      isOwn(target) && findFileKind(target) > findFileKind(file)
    expect(findWrongImports(files, isUpwardImport)).toEqual([])
  })

  it('has no imports between its views and its rows', () => {
    const [views, rows] = [/\/views(?:\/|\.ts)/, /\/rows(?:\/|\.ts)/]
    const isCrossImport = (file: string, target: string): boolean =>
      isOwn(target) && ((views.test(file) && rows.test(target)) || (rows.test(file) && views.test(target)))
    expect(findWrongImports(files, isCrossImport)).toEqual([])
  })

  it('doesn’t use a clock or the database in its rules', () => {
    const impure = /\bDate\.now\(|new Date\(\)|performance\.now|from 'kysely'/
    expect(files.filter((file) => /\/rules\//.test(file) && impure.test(readSource(file)))).toEqual([])
  })
})

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/** The folder of each package, and its folders with code. */
const PACKAGES: readonly (readonly [folder: string, code: readonly string[]])[] = [
  ['.', ['src', 'test', 'bench', 'docs']],
  ...readdirSync(join(ROOT, 'packages')).map((name) => {
    const folder = `packages/${name}`
    const code = [`${folder}/src`, `${folder}/test`].filter((path) => existsSync(join(ROOT, path)))
    return [folder, code] as const
  }),
]

const BASE_SOURCES = /^packages\/(runtime|slack|durable)\/src\//

function readManifest(folder: string): Manifest {
  // Cast, because npm validates package.json.
  return JSON.parse(readSource(`${folder}/package.json`)) as Manifest
}

function listDependencies(folder: string): [name: string, version: string][] {
  const { dependencies, optionalDependencies, devDependencies } = readManifest(folder)
  return Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
}

describe('the packages', () => {
  const packageFolders = PACKAGES.map(([folder]) => folder)

  it.each(PACKAGES)('declare every import of %s in its package.json', (folder, code) => {
    const declared = listDependencies(folder).map(([name]) => name)
    // The root may import the packages without declaring them, because they are its npm workspaces.
    if (folder === '.')
      declared.push('package.json', ...packageFolders.map((each) => readManifest(each).name))
    // Examples in a package's docs import the package by its name.
    else declared.push(readManifest(folder).name)
    const undeclaredImports = code.flatMap(listFiles).flatMap((file) =>
      listImports(file)
        .filter(
          (target) =>
            !declared.includes(target) && !code.some((codeFolder) => target.startsWith(`${codeFolder}/`)),
        )
        // The demo starts the app. What it may import is listed above.
        .filter((target) => !(folder === 'packages/demo' && target.startsWith('src/')))
        // Tests may import internal files of these packages; the app may only use their index.
        .filter(
          (target) => !(file.startsWith('test/') && (BASE_SOURCES.test(target) || /^bin\//.test(target))),
        )
        .map((target) => `${file} imports ${target}`),
    )
    expect(undeclaredImports).toEqual([])
  })

  it('pin each dependency to one exact version', () => {
    const versionsByName = new Map<string, Set<string>>()
    for (const [name, version] of packageFolders.flatMap(listDependencies))
      versionsByName.set(name, (versionsByName.get(name) ?? new Set()).add(version))
    const unpinned = [...versionsByName].filter(
      ([, versions]) => versions.size > 1 || [...versions].some((version) => !/^\d/.test(version)),
    )
    expect(unpinned).toEqual([])
  })
})
