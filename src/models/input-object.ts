import {isJsonObject, type Json, type JsonObject} from '../base/json.ts';

/** A tool call's input as providers take it back: an object. What was not one goes under a name that says so. */
export const inputObject = (input: Json): JsonObject => (isJsonObject(input) ? input : {invalid_input: input});
