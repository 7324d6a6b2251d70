import { SurehookAuth } from '@surehook/auth'
import { Surehook } from '@surehook/client'

// The bundler replaces these names by their values.
declare const SUREHOOK_URL: string
declare const SUREHOOK_PROJECT: string

type Task = { title: string; done: boolean }

const platform = { baseUrl: SUREHOOK_URL, projectId: SUREHOOK_PROJECT }

export const auth = new SurehookAuth(platform)

const token = () => auth.accessToken()
const surehook = new Surehook({ ...platform, token, fetch: auth.fetch })

/** The tasks of the user who is signed in. */
export const tasks = surehook.table<Task, Partial<Task>>('tasks')
