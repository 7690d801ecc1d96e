/** GraphiQL's page. Its URLs are relative to `/{tenant}/graphql`. */
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Reports</title>
    <base href="graphql/" />
    <link rel="stylesheet" href="playground/graphiql.css" />
    <style>
      body { margin: 0; height: 100vh }
      #playground { height: 100% }
    </style>
  </head>
  <body>
    <div id="playground"></div>
    <script src="playground/react.js"></script>
    <script src="playground/react-dom.js"></script>
    <script src="playground/graphiql.js"></script>
    <script src="playground/start.js"></script>
  </body>
</html>
`;

/**
 * The page's script. It loads the schema from a file beside the page, so that the schema can be read before a token is
 * entered.
 */
export const script = `
const address = location.pathname.replace(/\\/$/, '');
const request = GraphiQL.createFetcher({ url: address });
const fetcher = (parameters, options) =>
  parameters.operationName === 'IntrospectionQuery'
    ? fetch('playground/schema.json').then((answer) => answer.json())
    : request(parameters, options);
const query = \`query GetRows($criteria: WorkItemCriteriaInput, $slice: AggregationSliceSpecInput) {
  work_item_listing(criteria: $criteria, slice: $slice)
}\`;
const variables = {
  criteria: { entryPeriod: { fixedPeriod: null, relativePeriod: 'THIS_YEAR' } },
  slice: {
    cols: [{ colId: 'entryDate' }, { colId: 'matterNumber' }, { colId: 'units' }, { colId: 'totalBase' }],
    startRow: 0,
    endRow: 50,
    sortBy: [{ colId: 'entryDate', desc: true }],
  },
};
ReactDOM.createRoot(document.getElementById('playground')).render(
  React.createElement(GraphiQL, {
    fetcher,
    query,
    variables: JSON.stringify(variables, null, 2),
    headers: JSON.stringify({ Authorization: 'Bearer <paste a token here>' }, null, 2),
    defaultEditorToolsVisibility: 'headers',
    isHeadersEditorEnabled: true,
  }),
);
`;
