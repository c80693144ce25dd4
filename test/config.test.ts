import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeListenFault } from '../src/config/listen-faults.ts'
import { ConfigError, readConfig } from '../src/config.ts'
import { KEY_A, makeFolder } from './databases/databases.ts'

const COMPLETE = {
  SLACK_SIGNING_SECRET: 'a-signing-secret',
  SLACK_BOT_TOKEN: 'xoxb-1',
  API_BASE_URL: 'https://api.example.com',
}

const MANY_WORKSPACES = {
  SLACK_SIGNING_SECRET: 'a-signing-secret',
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  SLACK_STATE_SECRET: 'sixteen-and-more',
  API_BASE_URL: 'https://api.example.com',
}

function readErrorMessage(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('the configuration', () => {
  it('has defaults for optional variables', () => {
    expect(readConfig(COMPLETE)).toMatchObject({
      databaseUrl: 'sqlite:./data/signalman.db',
      port: 3000,
      logLevel: 'info',
      commandPrefix: '',
      watchIntervalSeconds: 60,
      service: { baseUrl: 'https://api.example.com', oteBaseUrl: undefined, tokens: {} },
    })
  })

  it('treats blank variables as missing', () => {
    expect(readConfig({ ...COMPLETE, PORT: ' ', API_TOKEN: '', LOG_LEVEL: '' })).toEqual(readConfig(COMPLETE))
  })

  it.each(['http://127.0.0.1:3100', 'http://127.0.0.1:3100/', 'http://127.0.0.1:3100/api'])(
    'accepts %s as the address of Slack’s API',
    (base) => {
      const { slack } = readConfig({ ...COMPLETE, SLACK_API_URL: base })
      expect(slack.apiUrl).toBe('http://127.0.0.1:3100/api/')
    },
  )

  it('lists every error with its fix', () => {
    const message = readErrorMessage({
      SLACK_BOT_TOKEN: 'xoxp-secret-value',
      API_BASE_URL: 'example',
      PORT: 'eighty',
    })
    expect(message).toContain('has 4 problems')
    expect(message).toContain('SLACK_SIGNING_SECRET isn’t set; copy it from Basic Information')
    expect(message).toContain('SLACK_BOT_TOKEN isn’t a bot token; those start with xoxb-')
    expect(message).toContain('API_BASE_URL isn’t a URL')
    expect(message).toContain('PORT isn’t a port')
  })

  it('accepts one workspace or many', () => {
    expect(readConfig(COMPLETE).slack.tenants).toEqual({ botToken: 'xoxb-1' })
    expect(readConfig(MANY_WORKSPACES).slack.tenants).toEqual({
      oauth: { clientId: '1.2', clientSecret: 'client-secret', stateSecret: 'sixteen-and-more' },
    })
  })

  it.each([
    ['SLACK_BOT_TOKEN are both set', { ...MANY_WORKSPACES, SLACK_BOT_TOKEN: 'xoxb-1' }],
    ['SLACK_CLIENT_SECRET isn’t set; copy it', { ...MANY_WORKSPACES, SLACK_CLIENT_SECRET: '' }],
    ['SLACK_STATE_SECRET is shorter than 16', { ...MANY_WORKSPACES, SLACK_STATE_SECRET: 'short' }],
    ['API_TOKEN is for one workspace', { ...MANY_WORKSPACES, API_TOKEN: 'one-for-all' }],
    ['SLACK_BOT_TOKEN isn’t set', { ...COMPLETE, SLACK_BOT_TOKEN: '' }],
    ['has 2 problems', { ...COMPLETE, SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '1.2' }],
  ])(
    'rejects incomplete settings, and settings for one workspace mixed with those for many: %s',
    (message, variables) => {
      expect(readErrorMessage(variables)).toContain(message)
    },
  )

  it.each([
    ['SLACK_SIGNING_SECRET', '"a-signing-secret"'],
    ['PORT', '"3000"'],
  ])('rejects %s in quotes, without repeating it', (name, value) => {
    expect(readErrorMessage({ ...COMPLETE, [name]: value })).toContain(`${name} is in quotes`)
    expect(readErrorMessage({ ...COMPLETE, [name]: value })).not.toContain(value)
  })

  it.each(['SLACK_SIGNING_SECRET', 'SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN', 'DATABASE_URL', 'PORT'])(
    'rejects a comment behind %s, which could become part of it',
    (name) => {
      const prefix =
        { SLACK_APP_TOKEN: 'xapp-', SLACK_BOT_TOKEN: 'xoxb-', DATABASE_URL: 'sqlite:' }[name] ?? ''
      const message = readErrorMessage({ ...COMPLETE, [name]: `${prefix}0123456789 # ours` })
      expect(message).toContain(`${name} has a comment behind its value`)
      expect(message).not.toContain('0123456789')
      if (!name.startsWith('SLACK_CLIENT')) expect(message).toContain('has a problem')
    },
  )

  it.each([
    { name: 'PORT', value: '70000', message: 'PORT isn’t a port; give a whole number from 0 to 65535' },
    { name: 'METRICS_PORT', value: '3000', message: 'METRICS_PORT is the same as PORT' },
    {
      name: 'DATABASE_URL',
      value: 'mysql://x',
      message: 'DATABASE_URL can’t be used: The database address has the scheme "mysql:"',
    },
    { name: 'LOG_LEVEL', value: 'loud', message: 'LOG_LEVEL must be one of trace' },
    { name: 'COMMAND_PREFIX', value: 'X Y', message: 'COMMAND_PREFIX can contain only a–z' },
    {
      name: 'API_BASE_URL',
      value: 'https://user:pass@api.example.com',
      message: 'API_BASE_URL contains a user name',
    },
    {
      name: 'API_TOKEN',
      value: 'a b',
      message: 'API_TOKEN contains spaces or other characters that it can’t have',
    },
    { name: 'ENCRYPTION_KEYS', value: 'abc', message: 'ENCRYPTION_KEYS can’t be used: ' },
    { name: 'DATABASE_URL', value: 'postgres://localhost/x', message: 'ENCRYPTION_KEYS isn’t set' },
  ])('rejects $name=$value: $message', ({ name, value, message }) => {
    expect(readErrorMessage({ ...COMPLETE, [name]: value })).toContain(message)
  })

  it.each([
    [
      'SLACK_SIGNING_SECERT',
      'SLACK_SIGNING_SECERT isn’t a known variable; did you mean SLACK_SIGNING_SECRET?',
    ],
    ['DATABASE_ULR', 'DATABASE_ULR isn’t a known variable; did you mean DATABASE_URL?'],
    ['log_level', 'log_level isn’t a known variable; did you mean LOG_LEVEL?'],
  ])('rejects the misspelled variable %s', (name, message) => {
    const { SLACK_SIGNING_SECRET: _, ...unsigned } = COMPLETE
    expect(readErrorMessage({ ...unsigned, [name]: 'hidden' })).toContain(message)
    expect(readErrorMessage({ ...unsigned, [name]: 'hidden' })).not.toContain('hidden')
  })

  it('ignores variables of other programs, which may begin like ours', () => {
    const unrelatedVariables = {
      API_KEY: 'x',
      AUDIT_LOG: '1',
      COMMAND_MODE: 'unix2003',
      METRICS_ENABLED: 'true',
      SLACK_WEBHOOK_URL: 'https://hooks.example.com',
      API_SERVICE_HOST: '10.0.0.1',
      API_PORT: 'tcp://10.0.0.1:80',
      PATH: '/bin',
      DATABASE_HOST: 'db',
      POST: '1',
      APP_TOKEN: 'x',
    }
    expect(readConfig({ ...COMPLETE, ...unrelatedVariables })).toEqual(readConfig(COMPLETE))
  })

  it('ignores a variable of another program that is close to one of ours, if ours is set', () => {
    const variables = { ...COMPLETE, DATABASE_URL: 'sqlite:./a.db', DATABASE_URI: 'mysql://other' }
    expect(readConfig(variables).databaseUrl).toBe('sqlite:./a.db')
    expect(readErrorMessage({ ...variables, DATABASE_URL: ' ' })).toContain('did you mean DATABASE_URL?')
  })
})

describe('how Slack connects', () => {
  const { SLACK_SIGNING_SECRET: _, ...unsigned } = COMPLETE

  it('uses HTTP with a signing secret, or Socket Mode with an app token, which takes precedence', () => {
    expect(readConfig(COMPLETE).slack.receive).toEqual({ signingSecret: 'a-signing-secret' })
    const appToken = 'xapp-1-A0-1-a'
    expect(readConfig({ ...unsigned, SLACK_APP_TOKEN: appToken }).slack.receive).toEqual({ appToken })
    expect(readConfig({ ...COMPLETE, SLACK_APP_TOKEN: appToken }).slack.receive).toEqual({ appToken })
  })

  it('isn’t configured if neither is set', () => {
    expect(readErrorMessage(unsigned)).toContain('or set SLACK_APP_TOKEN for Socket Mode')
    expect(readErrorMessage({ ...COMPLETE, SLACK_APP_TOKEN: 'xoxb-secret-value' })).toContain(
      'SLACK_APP_TOKEN isn’t an app-level token; those start with xapp-',
    )
  })
})

it.each([
  ['EADDRINUSE', /^Port 80 is already in use \(EADDRINUSE\), maybe by another copy of Signalman\./],
  ['EACCES', /^This user may not use port 80 \(EACCES\)\. Set PORT or METRICS_PORT to one from 1024 on\.$/],
  ['EAFNOSUPPORT', /^HOST isn’t an address of this machine \(EAFNOSUPPORT\)\. Set HOST to one that is/],
])('an address that the app can’t listen on is explained: %s', (code, expected) => {
  expect(
    describeListenFault(Object.assign(new Error('listen'), { syscall: 'listen', code, port: 80 })),
  ).toMatch(expected)
})

describe('a secret in a file', () => {
  it('is read for each variable that is one', () => {
    using folder = makeFolder()
    const write = (name: string, text: string): string => {
      const path = join(folder.path, name)
      writeFileSync(path, `${text}\n`)
      return path
    }
    const config = readConfig({
      API_BASE_URL: 'https://api.example.com',
      API_OTE_BASE_URL: 'https://ote.example.com',
      SLACK_BOT_TOKEN_FILE: write('bot', 'xoxb-1'),
      SLACK_SIGNING_SECRET_FILE: write('secret', 'shh'),
      API_TOKEN_FILE: write('token', 't1'),
      API_OTE_TOKEN_FILE: write('ote', 't2'),
      DATABASE_URL_FILE: write('url', 'postgres://u:p@h/d'),
      ENCRYPTION_KEYS_FILE: write('keys', KEY_A),
    })
    expect(config).toMatchObject({
      slack: { receive: { signingSecret: 'shh' }, tenants: { botToken: 'xoxb-1' } },
      service: { tokens: { production: 't1', ote: 't2' } },
      databaseUrl: 'postgres://u:p@h/d',
      encryptionKeys: KEY_A,
    })
  })

  it('is refused beside its plain variable, if it’s missing or empty, and under a wrong name, without its path', () => {
    using folder = makeFolder()
    const empty = join(folder.path, 'empty')
    writeFileSync(empty, '\n')
    const { SLACK_BOT_TOKEN: _, ...rest } = COMPLETE
    const read = (variables: Record<string, string>) => readErrorMessage({ ...rest, ...variables })
    expect(read({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_BOT_TOKEN_FILE: empty })).toContain(
      'SLACK_BOT_TOKEN and SLACK_BOT_TOKEN_FILE are both set; set only one of them',
    )
    expect(read({ SLACK_BOT_TOKEN_FILE: empty })).toContain('The file in SLACK_BOT_TOKEN_FILE is empty')
    const pipe = join(folder.path, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const SLACK_BOT_TOKEN_FILE of [folder.path, pipe, '/dev/zero'])
      expect(read({ SLACK_BOT_TOKEN_FILE })).toContain(
        'The file in SLACK_BOT_TOKEN_FILE isn’t a regular file; give the path of a file with the value',
      )
    writeFileSync(empty, ' '.repeat(100_000))
    expect(read({ SLACK_BOT_TOKEN_FILE: empty })).toContain('is too large for a secret')
    const missing = read({ SLACK_BOT_TOKEN_FILE: 'xoxb-secret' })
    expect(missing).toContain('The file in SLACK_BOT_TOKEN_FILE doesn’t exist')
    expect(missing).not.toContain('xoxb-secret')
    expect(read({ SLACK_BOT_TOKNE_FILE: empty })).toContain('did you mean SLACK_BOT_TOKEN_FILE?')
  })
})

it('refuses a proxy that isn’t a URL, without repeating its password', () => {
  for (const HTTPS_PROXY of [
    'http://',
    'socks5://u:secret@proxy:1080',
    '://secret',
    'secret@p:99999',
    'u:p%secret@p',
  ]) {
    expect(readErrorMessage({ ...COMPLETE, HTTPS_PROXY })).toContain('HTTPS_PROXY or HTTP_PROXY isn’t a URL')
    expect(readErrorMessage({ ...COMPLETE, HTTPS_PROXY })).not.toContain('secret')
  }
  for (const https_proxy of ['http://u:p@proxy:3128', 'proxy.example.com:3128', 'u:p@proxy:3128'])
    expect(readConfig({ ...COMPLETE, https_proxy })).toBeDefined()
})
