/** Expands `family:name,name` to full method names. */
const methodNames = (families: string): string[] =>
  families
    .trim()
    .split(/\s+/)
    .flatMap((line) => {
      const [family = '', names = ''] = line.split(':')
      return names.split(',').map((name) => `${family}.${name}`)
    })

/**
 * Methods that require a user token; a bot token gets `not_allowed_token_type`.
 * (https://docs.slack.dev/reference/methods, the scopes of each method; slackapi/bolt-python#871; November 2026)
 */
export const USER_TOKEN_METHODS: ReadonlySet<string> = new Set(
  methodNames(`
admin.analytics:getFile admin.apps.activities:list admin.apps:approve,clearResolution,restrict,uninstall
admin.apps.approved:list admin.apps.config:lookup,set admin.apps.requests:cancel,list admin.apps.restricted:list
admin.auth.policy:assignEntities,getEntities,removeEntities admin.barriers:create,delete,list,update
admin.conversations:archive,bulkArchive,bulkDelete,bulkMove,convertToPrivate,convertToPublic,create,delete
admin.conversations:disconnectShared,getConversationPrefs,getCustomRetention,getTeams,invite,lookup
admin.conversations:removeCustomRetention,rename,search,setConversationPrefs,setCustomRetention,setTeams,unarchive
admin.conversations.ekm:listOriginalConnectedChannelInfo
admin.conversations.restrictAccess:addGroup,listGroups,removeGroup admin.emoji:add,addAlias,list,remove,rename
admin.functions:list admin.functions.permissions:lookup,set admin.inviteRequests:approve,deny,list
admin.inviteRequests.approved:list admin.inviteRequests.denied:list
admin.roles:addAssignments,listAssignments,removeAssignments admin.teams.admins:list admin.teams:create,list
admin.teams.owners:list admin.teams.settings:info,setDefaultChannels,setDescription,setDiscoverability,setIcon,setName
admin.usergroups:addChannels,addTeams,listChannels,removeChannels
admin.users:assign,getExpiration,invite,list,remove,setAdmin,setExpiration,setOwner,setRegular
admin.users.session:clearSettings,getSettings,invalidate,list,reset,resetBulk,setSettings
admin.users.unsupportedVersions:export admin.workflows.collaborators:add,remove admin.workflows.permissions:lookup
admin.workflows:search,unpublish apps.user.connection:update dnd:endDnd,endSnooze,setSnooze files:sharedPublicURL
openid.connect:userInfo reminders:add,complete,delete,info,list search:all,files,messages stars:add,list,remove
team:accessLogs,billableInfo,integrationLogs users:deletePhoto,identity,setPhoto users.profile:set
`),
)

/**
 * Methods in @slack/web-api 8.2 that the playground doesn't support (https://docs.slack.dev/reference/methods, November
 * 2026).
 */
export const MISSING_METHODS: ReadonlySet<string> = new Set(
  methodNames(`
agents.conversations:archive,create,getCanvas,listViews,removeView,setCanvasContent,setCommands,setProperties
agents.conversations:setView agents.sessions:rename,setStatus apps.event.authorizations:list
apps.manifest:create,delete,export,update apps:uninstall
calls:add,end,info,update calls.participants:add,remove canvases.access:delete,set
canvases:create,delete,edit canvases.sections:lookup
conversations:acceptSharedInvite,approveSharedInvite,declineSharedInvite,inviteShared,listConnectInvites
conversations.canvases:create conversations.externalInvitePermissions:set
conversations.requestSharedInvite:approve,deny,list dialog:open
files.comments:delete files:revokePublicURL files.remote:add,info,list,remove,share,update migration:exchange oauth:access
oauth.v2:exchange openid.connect:token
slackLists.access:delete,set slackLists:create,update slackLists.download:get,start
slackLists.items:create,delete,deleteMultiple,info,list,update
team.billing:info team.externalTeams:disconnect,list team.preferences:list tooling.tokens:rotate
users:setPresence users.discoverableContacts:lookup
workflows.featured:add,list,remove,set
`),
)

/** How Slack responds to calls of a retired method. */
export interface RetiredMethod {
  error: 'method_deprecated' | 'not_allowed_token_type'
  explanation: string
}

const replacedBy = (successor: string): RetiredMethod => ({
  error: 'method_deprecated',
  explanation: `This method is retired and can no longer be used. Use ${successor} instead.`,
})

const movedMethods = (family: string, names: string): [string, RetiredMethod][] =>
  names.split(' ').map((name) => [`${family}.${name}`, replacedBy(`conversations.${name}`)])

const RETIRED_LIST = replacedBy('conversations.list or users.conversations')
const USE_SOCKET_MODE = 'RTM connections are only for classic apps. Use Socket Mode: apps.connections.open.'

/**
 * Methods that Slack has retired, but that apps and tests still call. (Example of Slack's response:
 * vluzrmos/laravel-slack-api#34; files.upload:
 * https://docs.slack.dev/changelog/2024-04-a-better-way-to-upload-files-is-here-to-stay; steps from apps:
 * https://docs.slack.dev/changelog/2023-08-workflow-steps-from-apps-step-back; November 2026)
 */
export const RETIRED_METHODS: ReadonlyMap<string, RetiredMethod> = new Map([
  ...movedMethods(
    'channels',
    'archive create history info invite join kick leave mark rename replies setPurpose setTopic unarchive',
  ),
  ...movedMethods(
    'groups',
    'archive create history info invite kick leave mark open rename replies setPurpose setTopic unarchive',
  ),
  ...movedMethods('im', 'close history mark open replies'),
  ...movedMethods('mpim', 'close history mark open replies'),
  ['channels.list', RETIRED_LIST],
  ['groups.list', RETIRED_LIST],
  ['im.list', RETIRED_LIST],
  ['mpim.list', RETIRED_LIST],
  ['groups.createChild', replacedBy('conversations.create')],
  ['files.upload', replacedBy('files.getUploadURLExternal and files.completeUploadExternal')],
  ['workflows.stepCompleted', replacedBy('functions.completeSuccess')],
  ['workflows.stepFailed', replacedBy('functions.completeError')],
  ['workflows.updateStep', replacedBy('a custom step (the functions of a manifest)')],
  ['rtm.start', { error: 'method_deprecated', explanation: USE_SOCKET_MODE }],
  ['rtm.connect', { error: 'not_allowed_token_type', explanation: USE_SOCKET_MODE }],
])
