import {
  ALL_SCOPES,
  OPTIONAL_FEATURES,
  OPTIONAL_SCOPES,
  REQUIRED_EVENTS,
} from '../../domain/optional-features.ts'

interface ManifestOptions {
  /** The base URL at which Slack reaches the app; undefined in Socket Mode without OAuth. */
  url: string | undefined
  /** The prefix of every command. */
  prefix: string
  /** True in Socket Mode. */
  isSocketMode: boolean
}

const COMMANDS = [
  {
    name: 'hc',
    description: 'Health checks, their alerts, and the connection to the service',
    usage_hint:
      'down | who | NAME | page NAME @person | mute NAME 2h | watch NAME | history NAME | list | create | edit NAME | alerts NAME | access | help',
  },
  {
    name: 'threat',
    description: 'Look up threat events by ID',
    usage_hint: 'ID… | take ID | note ID TEXT | close ID | queue | export ID | help',
  },
  {
    name: 'cert-order',
    description: 'Request certificates, approve and list orders',
    usage_hint:
      'NAME | list pending | approve N | reject N | show N | again N | renew CERT_ID | settings | help',
  },
]

const LONG_DESCRIPTION =
  'Use your health check, threat, and certificate service from Slack: see which health checks are up or down and who gets alert email, get notified about outages, look up threat events, and order certificates with approval. Your organization hosts Signalman itself. The service’s connection token is stored encrypted and never shown again.'

/** Creates the manifest of one deployment. Every workspace accepts it. */
export function createManifest({ url, prefix, isSocketMode }: ManifestOptions) {
  const requestUrl = url === undefined || isSocketMode ? undefined : `${url}/slack/events`
  return {
    _metadata: { major_version: 2, minor_version: 0 },
    display_information: {
      name: 'Signalman',
      description: 'Health checks, threat events, and certificate orders in the channel where you work',
      background_color: '#1d3a5f',
      long_description: LONG_DESCRIPTION,
    },
    features: manifestFeatures(prefix, requestUrl),
    oauth_config: {
      ...(url !== undefined && { redirect_urls: [`${url}/slack/oauth_redirect`] }),
      scopes: {
        bot: ALL_SCOPES,
        bot_optional: OPTIONAL_SCOPES,
      },
    },
    settings: {
      event_subscriptions: {
        ...(requestUrl && { request_url: requestUrl }),
        bot_events: [
          ...new Set([...REQUIRED_EVENTS, ...OPTIONAL_FEATURES.flatMap(({ events = [] }) => events)]),
        ].toSorted(),
      },
      interactivity: {
        is_enabled: true,
        // Menus with a search load their options from a separate address, except in Socket Mode.
        ...(requestUrl && { request_url: requestUrl, message_menu_options_url: requestUrl }),
      },
      org_deploy_enabled: false,
      socket_mode_enabled: isSocketMode,
      token_rotation_enabled: false,
    },
  }
}

/**
 * A link that opens Slack's page for a new app with this manifest filled in: about 5 KB, which proxies and browsers accept.
 * (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests, "Sharing manifests", November 2026)
 */
export const creationLink = (manifest: object): string =>
  `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`

const manifestFeatures = (prefix: string, requestUrl: string | undefined) => ({
  app_home: {
    home_tab_enabled: true,
    messages_tab_enabled: true,
    messages_tab_read_only_enabled: false,
  },
  bot_user: { display_name: 'Signalman', always_online: true },
  slash_commands: COMMANDS.map(({ name, ...rest }) => ({
    command: `/${prefix}${name}`,
    ...(requestUrl && { url: requestUrl }),
    ...rest,
    should_escape: true,
  })),
  shortcuts: [
    {
      name: 'Look up threat event',
      type: 'message',
      callback_id: 'threat.look-up',
      description: 'Shows the threat events that this message mentions',
    },
  ],
})
