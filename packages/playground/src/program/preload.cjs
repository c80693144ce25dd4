'use strict'
// The playground loads this file into Node apps that it starts (NODE_OPTIONS=--require). It does three things:
//
// - When Node loads Slack's libraries or slack-edge, it replaces Slack's default URL with the playground's, because some of them
//   (Bolt's Socket Mode) have no option for it. No file is changed on disk, and an app that sets its own URL keeps it.
// - It blocks connections to the real Slack.
// - It adds the `traceparent` of the request that the app is handling to the app's calls, so that the playground knows which action
//   caused them. Other calls get a new `traceparent`.
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks')
const { randomBytes } = require('node:crypto')
const http = require('node:http')
const Module = require('node:module')
const net = require('node:net')
const tls = require('node:tls')

const address = process.env.SIGNALMAN_PLAYGROUND_URL
const slackLibrary = /[\\/]node_modules[\\/](?:@slack|slack-edge|slack-web-api-client)[\\/]/
const slackUrl = /https:\/\/slack\.com(?=[/'"`])/g
const traces = new AsyncLocalStorage()
const slackHost = /(?:^|\.)slack(?:-edge|-files|-msgs)?\.com\.?$/i

const currentTrace = () =>
  traces.getStore() ?? `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

/** Replaces a method by `wrap(method)`, if it exists. */
function wrapMethod(object, name, wrap) {
  const original = object?.[name]
  if (typeof original === 'function') object[name] = wrap(original)
}

/** Preserves the trace in libraries that run code later: the Web API client's queue, and the handler of Socket Mode messages. */
function preserveTrace(filename, exports) {
  if (/[\\/]p-queue[\\/]/.test(filename))
    wrapMethod(
      exports.default?.prototype,
      'add',
      (add) =>
        function addForPlayground(task, ...options) {
          return add.call(this, AsyncResource.bind(task), ...options)
        },
    )
  if (/SocketModeClient\.js$/.test(filename))
    wrapMethod(
      exports.SocketModeClient?.prototype,
      'onWebSocketMessage',
      (handleMessage) =>
        function handleMessageForPlayground(message, ...rest) {
          // Before version 2 of the library, the text is in an event.
          const text = String(message.data ?? message)
          const [, trace] = /"traceparent":"([0-9a-f-]+)"\}$/.exec(text) ?? []
          return traces.run(trace, () => handleMessage.call(this, message, ...rest))
        },
    )
}

/** The host of a connection, from the arguments of `net.Socket#connect` or `tls.connect`. */
function readHost([first, second]) {
  const options = Array.isArray(first) ? first[0] : first
  if (typeof options === 'object' && options !== null) return String(options.servername || options.host || '')
  return typeof second === 'string' ? second : String(second?.servername ?? '')
}

/** Prints and returns an error if a connection goes to the real Slack. */
function checkNotSlack(connectArguments) {
  const host = readHost(connectArguments)
  if (!slackHost.test(host)) return undefined
  const error = new Error(
    `The app called the real Slack (${host}), and the call was stopped. To use the playground, set the URL of its API client to SLACK_API_URL (${process.env.SLACK_API_URL}).`,
  )
  error.code = 'ERR_REAL_SLACK'
  process.stderr.write(`${error.message}\n`)
  return error
}

/** Destroys the socket on the next tick, after the caller has added its error listener. */
function destroyLater(socket, error) {
  process.nextTick(() => socket.destroy(error))
  return socket
}

/** Blocks connections to Slack: a test must never reach a real workspace, no matter which token and URL the app uses. */
function stopCallsToSlack() {
  wrapMethod(
    net.Socket.prototype,
    'connect',
    (connect) =>
      function connectForPlayground(...args) {
        const error = checkNotSlack(args)
        return error ? destroyLater(this, error) : connect.apply(this, args)
      },
  )
  // Through a proxy, the socket connects to the proxy, and only TLS gets Slack's host name.
  wrapMethod(
    tls,
    'connect',
    (connect) =>
      function connectForPlayground(...args) {
        const error = checkNotSlack(args)
        return error ? destroyLater(new net.Socket(), error) : connect.apply(this, args)
      },
  )
}

/** Runs each request's handler in the request's trace, and adds the trace to the handler's calls to the playground. */
function forwardTraces() {
  wrapMethod(
    http.Server.prototype,
    'emit',
    (emit) =>
      function emitForPlayground(event, request, ...rest) {
        const trace = event === 'request' ? request.headers.traceparent : undefined
        if (trace === undefined) return emit.call(this, event, request, ...rest)
        return traces.run(trace, () => {
          // The body arrives later, in separate events.
          wrapMethod(request, 'emit', (emitBody) => AsyncResource.bind(emitBody))
          return emit.call(this, event, request, ...rest)
        })
      },
  )
  wrapMethod(
    http,
    'request',
    (request) =>
      function requestForPlayground(...args) {
        const call = request.apply(this, args)
        const isForPlayground = `http://${call.getHeader('host')}` === address
        if (isForPlayground && !call.headersSent && !call.hasHeader('traceparent'))
          call.setHeader('traceparent', currentTrace())
        return call
      },
  )
  Module.syncBuiltinESMExports()
  wrapMethod(
    globalThis,
    'fetch',
    (fetch) =>
      function fetchForPlayground(input, init) {
        const url = String(input?.url ?? input)
        if (!url.startsWith(`${address}/`)) return fetch(input, init)
        const headers = new Headers(init?.headers ?? input?.headers)
        if (!headers.has('traceparent')) headers.set('traceparent', currentTrace())
        return fetch(input, { ...init, headers })
      },
  )
}

if (address) {
  const compile = Module.prototype._compile
  Module.prototype._compile = function compileForPlayground(content, filename, ...rest) {
    const isFromSlack = typeof content === 'string' && slackLibrary.test(filename)
    const source = isFromSlack ? content.replace(slackUrl, address) : content
    const result = compile.call(this, source, filename, ...rest)
    preserveTrace(filename, this.exports)
    return result
  }
  stopCallsToSlack()
  forwardTraces()
}
