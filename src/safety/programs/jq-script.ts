/** Whether a jq or yq filter stays with its input: the environment, other files and modules are out of its reach. */
export const isHarmlessJq = (filter: string): boolean =>
  !/\$ENV|\$__prog|\b(?:env|strenv|envsubst|load\w*|import|include|modulemeta|input_filename|get_search_list|getpath_file|halt_error|eval|system)\b/u.test(
    filter,
  );
